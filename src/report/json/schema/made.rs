//! Generates the schema from the types. A new output is a line in [`made`].

use std::borrow::Cow;
use std::fs;
use std::path::Path;

use schemars::generate::SchemaSettings;
use schemars::transform::{RecursiveTransform, Transform};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value as Json, json};
use strum::{VariantArray as _, VariantNames as _};

use super::{DIALECT, REFERENCE, STORED, Subject, write};
use crate::compare::chosen::SelectionReason as ChosenBy;
use crate::decode::Kind as ValueKind;
use crate::kind::Kind;
use crate::record::{HoleKind, SkipReason as Skipped};
use crate::report::check::json::CheckDocument;
use crate::report::compare::json::DiffDocument;
use crate::report::coverage::CoverageLine;
use crate::report::decode::DecodeDocument;
use crate::report::explain::json::ExplainDocument;
use crate::report::host::json::HostDocument;
use crate::report::json::Document;
use crate::report::json::event::{EventObject, FieldsObject};
use crate::report::json::live::LiveLine;
use crate::report::json::ndjson::ReportLine;
use crate::report::json::run::RunObject;
use crate::report::lint::LintLine;
use crate::report::records::RecordLine;
use crate::report::rows::{Row, schema_of_types};
use crate::report::signatures::ListLine;
use crate::report::unknown::UnknownObject;
use crate::report::why::json::WhyDocument;
use crate::value::field::{Shape, Value};
use crate::value::{FaultBits, GfxGeneration, GfxTarget, PciAddress, PciId};

/// A line of `events`.
#[derive(JsonSchema, serde::Serialize)]
#[serde(untagged)]
#[allow(dead_code, reason = "its variants are written one by one")]
enum EventLine<'r> {
    Event(EventObject<'r>),
    Unknown(UnknownObject<'r>),
}

/// Implements `JsonSchema` for enums whose words are not the names of their variants.
macro_rules! words {
    ($($Type:ident as $name:literal: $words:expr;)*) => { $(
        impl JsonSchema for $Type {
            fn schema_name() -> Cow<'static, str> {
                $name.into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({ "type": "string", "enum": $words })
            }
        }
    )* };
}

words! {
    Kind as "Kind": Kind::ALL.iter().map(|kind| kind.name()).collect::<Vec<_>>();
    ValueKind as "ValueKind": ValueKind::ALL.iter().map(|kind| kind.name()).collect::<Vec<_>>();
    Skipped as "Skipped": <Skipped as strum::VariantNames>::VARIANTS;
    HoleKind as "HoleKind": HoleKind::VARIANTS;
    ChosenBy as "ChosenBy": ChosenBy::VARIANTS;
}

/// Implements `JsonSchema` for types that are serialised as text with a pattern.
macro_rules! patterns {
    ($($Type:ident: $about:literal, $pattern:literal;)*) => { $(
        impl JsonSchema for $Type {
            fn schema_name() -> Cow<'static, str> {
                stringify!($Type).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({ "description": $about, "type": "string", "pattern": $pattern })
            }
        }
    )* };
}

patterns! {
    PciAddress: "A PCI function as the kernel writes it: domain, bus, device, function.",
        "^[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\\.[0-7]$";
    PciId: "Vendor and device on the PCI bus.", "^[0-9a-f]{4}:[0-9a-f]{4}$";
    GfxTarget: "The instruction set of a GPU, as compilers call it.", "^gfx[0-9]+[0-9a-f]{2}$";
    GfxGeneration: "The generation of a graphics core.", "^gfx[0-9]+$";
}

/// The fields are in the definition of the event's kind.
impl JsonSchema for FieldsObject<'_> {
    fn schema_name() -> Cow<'static, str> {
        "Fields".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "object" })
    }
}

fn reference(name: &str) -> Json {
    json!({ "$ref": format!("{REFERENCE}{name}") })
}

/// The schema of a sample value.
fn of_value(value: &Value) -> Json {
    match value {
        Value::Number(_) | Value::Errno(_) => json!({ "type": "integer" }),
        Value::Hex(_) => reference("Hex"),
        Value::Word(_) | Value::Text(_) => json!({ "type": "string" }),
        Value::Register(..) | Value::List(_) | Value::Records(_) => unreachable!("no bits hold it"),
    }
}

fn of_shape(shape: Shape) -> Json {
    match shape {
        Shape::Number => json!({ "type": "integer" }),
        Shape::Hex => reference("Hex"),
        Shape::NumberOrHex => json!({ "anyOf": [{ "type": "integer" }, reference("Hex")] }),
        Shape::FaultStatus => reference("FaultStatus"),
        Shape::Text => json!({ "type": "string" }),
        Shape::Word(words) => json!({ "type": "string", "enum": words }),
        Shape::WordOrNumber(words) => json!({
            "type": "string",
            "anyOf": [{ "enum": words }, { "pattern": "^[0-9]+$" }],
        }),
        Shape::List => json!({ "type": "array", "items": { "type": "string" } }),
        Shape::Disagreements => json!({ "type": "array", "items": reference("Disagreement") }),
    }
}

/// `schema` with a description as the first key.
fn described(about: &str, schema: &Json) -> Json {
    let mut all = Map::from_iter([("description".to_owned(), about.into())]);
    all.extend(schema.as_object().cloned().unwrap_or_default());
    all.into()
}

/// The fields of an event of a kind.
fn of_kind(kind: Kind) -> Json {
    let fields = kind.fields().iter();
    let properties: Map<String, Json> = fields
        .map(|field| (field.name.to_owned(), described(field.about, &of_shape(field.shape))))
        .collect();
    let fields = json!({
        "type": "object",
        "properties": properties,
        "additionalProperties": false,
    });
    let properties = json!({ "event": { "const": kind.name() }, "fields": fields });
    json!({ "description": kind.about(), "properties": properties })
}

/// All fields that a status register may have.
fn fault_status() -> Json {
    let bits = FaultBits {
        client: Some(String::new()),
        vf: Some(true),
        vfid: Some(1),
        prt: Some(true),
        uce: Some(true),
        fed: Some(true),
        reserved: Some(1),
        ..FaultBits::default()
    };
    let raw = ("raw".to_owned(), reference("Hex"));
    let values = bits.values();
    let values = values.iter().map(|(name, value)| ((*name).to_owned(), of_value(value)));
    let properties: Map<String, Json> = std::iter::once(raw).chain(values).collect();
    json!({
        "description": "A status register of page faults: as printed, and what its bits say where the \
                        chip's layout is known.",
        "type": "object",
        "properties": properties,
        "required": ["raw"],
        "additionalProperties": false,
    })
}

fn disagreement() -> Json {
    let either = || json!({ "anyOf": [{ "type": "integer" }, { "type": "string" }] });
    json!({
        "description": "One field of which the printed line says something else than the register.",
        "type": "object",
        "properties": {
            "field": { "description": "The field.", "type": "string" },
            "printed": described("What the line says.", &either()),
            "decoded": described("What the register says.", &either()),
            "legitimate": {
                "description": "1 where it can come from how the hardware keeps faults, else 0.",
                "enum": [0, 1],
            },
            "note": { "description": "What it can come from.", "type": "string" },
        },
        "required": ["field", "printed", "decoded", "legitimate", "note"],
        "additionalProperties": false,
    })
}

/// Our objects have no other keys than those listed, so that tests detect additions. The width of
/// Rust's integers is removed, because it is irrelevant for users.
fn tidy(schema: &mut Schema) {
    let is_object = schema.get("type") == Some(&json!("object"));
    if is_object && schema.get("properties").is_some() {
        schema.insert("additionalProperties".to_owned(), false.into());
    }
    if schema.get("type") != Some(&json!("string"))
        && schema.get("format") != Some(&json!("date-time"))
    {
        schema.remove("format");
    }
    if let Some(Json::String(about)) = schema.get_mut("description") {
        *about = about.replace('\n', " ");
    }
}

/// A line of NDJSON is an object of the document with an additional `type`. `$ref` and
/// `additionalProperties: false` exclude each other, so the object is inlined.
fn in_full(line: &Json, definitions: &Map<String, Json>) -> Json {
    let Some(name) = line["$ref"].as_str().and_then(|to| to.strip_prefix(REFERENCE)) else {
        return line.clone();
    };
    let mut object = definitions[name].clone();
    let of_the_line = line["properties"].as_object().cloned().unwrap();
    let mut required: Vec<Json> = of_the_line.keys().map(|key| key.as_str().into()).collect();
    required.extend(object["required"].as_array().cloned().unwrap_or_default());
    let mut properties = of_the_line;
    properties.extend(object["properties"].as_object().cloned().unwrap_or_default());
    object["required"] = required.into();
    object["properties"] = properties.into();
    object
}

/// All definitions.
fn made() -> String {
    let mut generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    generator.subschema_for::<Document<'_>>();
    generator.subschema_for::<ReportLine<'_>>();
    generator.subschema_for::<EventLine<'_>>();
    generator.subschema_for::<RecordLine<'_>>();
    generator.subschema_for::<Row<'_>>();
    generator.subschema_for::<LiveLine<'_>>();
    generator.subschema_for::<RunObject<'_>>();
    generator.subschema_for::<CheckDocument<'_>>();
    generator.subschema_for::<HostDocument<'_>>();
    generator.subschema_for::<DiffDocument<'_>>();
    generator.subschema_for::<ExplainDocument<'_>>();
    generator.subschema_for::<DecodeDocument<'_>>();
    generator.subschema_for::<ListLine<'_>>();
    generator.subschema_for::<WhyDocument<'_>>();
    generator.subschema_for::<LintLine<'_>>();
    generator.subschema_for::<CoverageLine<'_>>();
    let mut definitions = generator.take_definitions(true);
    for definition in definitions.values_mut() {
        if let Ok(schema) = definition.try_into() {
            RecursiveTransform(tidy).transform(schema);
        }
    }
    for one_of in ["ReportLine", "LiveLine", "Explanation", "PatternsCoverageLine"] {
        let lines = definitions[one_of]["oneOf"].as_array().cloned().unwrap();
        let lines: Vec<Json> = lines.iter().map(|line| in_full(line, &definitions)).collect();
        definitions[one_of]["oneOf"] = lines.into();
    }
    let kinds: Vec<Json> = Kind::ALL.iter().map(|kind| reference(kind.name())).collect();
    definitions.insert("EventFields".to_owned(), json!({ "anyOf": kinds }));
    definitions.extend(Kind::ALL.iter().map(|kind| (kind.name().to_owned(), of_kind(*kind))));
    let hex = json!({
        "description": "A number that people read in hexadecimal.",
        "type": "string",
        "pattern": "^0x[0-9a-f]+$",
    });
    definitions.insert("Hex".to_owned(), hex);
    definitions.insert("TypeRow".to_owned(), schema_of_types());
    let line = json!({
        "anyOf": [reference("Row"), reference("TypeRow")],
        "description": "A line of output.",
    });
    definitions.insert("RowLine".to_owned(), line);
    definitions.insert("FaultStatus".to_owned(), fault_status());
    definitions.insert("Disagreement".to_owned(), disagreement());
    definitions.sort_keys();
    let all = json!({ "$schema": DIALECT, "$defs": definitions });
    let text = serde_json::to_string_pretty(&all).unwrap();
    // Type names without their suffix in Rust.
    text.replace("Object\"", "\"") + "\n"
}

#[test]
#[allow(clippy::disallowed_methods, reason = "it renews the file where somebody asks for it")]
fn the_stored_schema_is_what_the_types_say() {
    let made = made();
    if std::env::var_os("UPDATE_SCHEMA").is_some() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/report/json/schema.json");
        fs::write(path, &made).unwrap();
        return;
    }
    assert!(
        made == STORED,
        "src/report/json/schema.json is stale: UPDATE_SCHEMA=1 cargo test --lib schema renews it"
    );
}

#[test]
fn a_schema_has_what_it_refers_to_and_nothing_else() {
    for &subject in Subject::VARIANTS {
        let mut text = Vec::new();
        write(subject, &mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        let schema: Json = serde_json::from_str(&text).unwrap();
        let definitions = schema["$defs"].as_object().unwrap();
        let mut named: Vec<&str> = super::references(&text).collect();
        named.sort_unstable();
        named.dedup();
        let mut defined: Vec<&str> = definitions.keys().map(String::as_str).collect();
        defined.sort_unstable();
        assert_eq!(defined, named, "{}", subject.name());
    }
}
