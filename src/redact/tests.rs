use super::*;

fn redacted(lines: &[&str]) -> Vec<String> {
    let mut redactor = Redactor::new(&crate::builtin::patterns(), Options::default());
    for line in lines {
        redactor.learn(line);
    }
    let out: Vec<String> = lines.iter().map(|line| redactor.redact(line).into_owned()).collect();
    for line in &out {
        assert_eq!(redactor.leftovers(line), [], "{line}");
        assert_eq!(redactor.redact(line), line.as_str());
    }
    out
}

#[test]
fn the_machine_in_a_column_of_a_table_is_private() {
    let out = redacted(&[
        "\"@timestamp\";\"host.name\";\"message\"",
        "\"2026-11-19T10:33:00Z\";\"kestrel-ws\";\"amdgpu 0000:03:00.0: amdgpu: GPU reset begin!\"",
    ]);
    assert!(out[1].starts_with("\"2026-11-19T10:33:00Z\";\"<host-1>\";"), "{}", out[1]);
}

/// A row may be cut short, or have a time that nobody else writes so.
#[test]
fn a_machine_in_a_row_that_is_no_record_is_private() {
    let out = redacted(&[
        "\u{feff}time, host, message",
        "2026-11-19T10:33:00Z, kestrel-ws, a",
        "19/Nov/2026:10:33:00 +0000,osprey-ws:514,b",
        "2026-11-19T10:33:00Z,merlin-ws",
    ]);
    assert_eq!(out[0], "\u{feff}time, host, message");
    for (line, name) in out[1..].iter().zip(["kestrel", "osprey", "merlin"]) {
        assert!(line.contains("<host-") && !line.contains(name), "{line}");
    }
}

/// What is written is looked at anew where no finding was kept, and then the table is that of the line, not the last.
#[test]
fn a_table_ends_where_another_begins_or_the_log_ends() {
    let mut redactor = Redactor::new(&crate::builtin::patterns(), Options::default());
    let first = "time,host,message\n2026-11-19T10:33:00Z,ab,x\nprogram,text\n";
    let second = "bluebird,foo,bar: baz\n";
    for log in [first, second] {
        stream::learn(&mut redactor, log.as_bytes()).unwrap();
    }
    let mut written = |log: &str| {
        let mut out = Vec::new();
        stream::redact(&mut redactor, Findings::default(), log.as_bytes(), &mut out).unwrap();
        String::from_utf8(out).unwrap()
    };
    assert!(!written(first).contains(",ab,"), "{}", written(first));
    assert_eq!(written(second), second);
}

#[test]
fn a_name_that_is_found_late_goes_everywhere() {
    let out = redacted(&[
        "mount of tower:/srv by %6Aohn",
        "Mar 04 18:20:10 tower kernel: Linux version 6.1 (john@tower) #1",
        "open /home/john/x",
        r#"{"_HOSTNAME":"tower","MESSAGE":[104,105,32,106,111,104,110],"X":"a\u0020tower"}"#,
    ]);
    assert_eq!(out[1], "Mar 04 18:20:10 <host-1> kernel: Linux version 6.1 (<user-1>@<host-1>) #1");
    assert_eq!(out[0], "mount of <host-1>:/srv by <user-1>");
    assert_eq!(out[2], "open /home/<user-1>/<file-1>");
    let token: Vec<String> = "<user-1>".bytes().map(|byte| byte.to_string()).collect();
    let want = format!(
        r#"{{"_HOSTNAME":"<host-1>","MESSAGE":[104,105,32,{}],"X":"a\u0020<host-1>"}}"#,
        token.join(",")
    );
    assert_eq!(out[3], want);
}

#[test]
fn people_in_a_column_of_a_table_are_private() {
    let out = redacted(&[
        "AuthorID,Author,Date,Content",
        r#"118200934450012345,"Zamo ""Z"" Luka",2026-03-04 18:20,"it hangs, says Zamo ""Z"" Luka""#,
        "well, I think, so, do I",
    ]);
    assert!(out[1].starts_with("<serial-1>,\"<user-1>\",2026-03-04 18:20,"), "{}", out[1]);
    assert_eq!(out[2], "well, I think, so, do I");
}

#[test]
fn names_without_latin_letters_are_private() {
    let out = redacted(&["cannot open /home/\u{5F20}\u{4F1F}/x"]);
    assert_eq!(out[0], "cannot open /home/<user-1>/<file-1>");
}

/// A value that is a date occurs in the times of all lines of that day.
#[test]
fn the_times_of_lines_stay() {
    let line = "2031-07-19T18:20:14.318225+01:00 velomira kernel: [    4.318225] x 2031-07-19";
    let out = redacted(&["open /home/zamoluka/2031-07-19", line]);
    assert_eq!(
        out[1],
        "2031-07-19T18:20:14.318225+01:00 <host-1> kernel: [    4.318225] x <file-1>"
    );
}

#[test]
fn what_stands_below_a_heading_is_private() {
    let out = redacted(&[
        "NAME         READY   STATUS             AGE   NODE",
        "rocm-job-0   0/1     CrashLoopBackOff   11m   gpu-heidschnucke-2",
        "",
        "NAME        FSTYPE FSVER LABEL            FSAVAIL",
        "sda",
        "└─sda1      ext4   1.0   Familie Quorvix  211.4G",
        "",
        "             JOBID     NAME     USER ST  NODES NODELIST(REASON)",
        "              4711 veldarun  quorvix  R      1 (Priority)",
        "",
        "  NAME        STATE     READ WRITE CKSUM",
        "  nvme1n1p2   ONLINE       0     0     0",
    ]);
    assert_eq!(out[1], "<container-1>   0/1     CrashLoopBackOff   11m   <host-1>");
    assert_eq!(out[4], "sda");
    assert_eq!(out[5], "└─sda1      ext4   1.0   <volume-1>  211.4G");
    assert_eq!(out[8], "              4711 <container-2>  <user-1>  R      1 (Priority)");
    assert_eq!(out[11], "  nvme1n1p2   ONLINE       0     0     0");
}

/// Lines of a log end a table, and no sentence is a heading.
#[test]
fn what_is_no_table_stays() {
    let lines = [
        "USER     TTY      FROM",
        "[    4.318225] velomira 0000:03:00.0",
        "USER and HOST are words",
        "velomira x y",
        "Device  Node  IDs              Temp    Power",
        "0       1     0x73bf,   24112  35.0C   8.0W",
    ];
    assert_eq!(redacted(&lines), lines);
}

#[test]
fn the_name_below_a_mail_is_private() {
    let out = redacted(&[
        "The last good kernel was 6.11.4.",
        "Best regards,",
        "",
        "Friedhelm Osterkamp",
        "Friedhelm Osterkamp wrote that",
        "Cheers, Velda",
        "Thanks",
        "Kernel Version",
        "Thanks!",
        "and another thing",
    ]);
    assert_eq!(out[3..6], ["<user-1>", "<user-1> wrote that", "Cheers, <user-2>"]);
    assert_eq!(out[7], "Kernel Version");
    assert_eq!(out[9], "and another thing");
}

/// The rest tells which modes a monitor has.
#[test]
fn of_an_edid_only_the_serial_numbers_are_private() {
    let rows = [
        "	EDID: ",
        "		00ffffffffffff0010ac3cf142363530",
        "		14210104b53c22783afc95a8554ea126",
        "		4b1d711c010a202020202020000000ff",
        "		00394a32485631340a20202020200090",
    ];
    let mut log = rows.join("\n");
    log.push_str("\nc7d9cf07255bc509cb3acac23db7c6e9\n");
    let redact = |log: &str| {
        let mut redactor = Redactor::new(&crate::builtin::patterns(), Options::default());
        let findings = stream::learn(&mut redactor, log.as_bytes()).unwrap();
        let mut out = Vec::new();
        stream::redact(&mut redactor, findings, log.as_bytes(), &mut out).unwrap();
        let mut left = 0;
        stream::leftovers(&redactor, out.as_slice(), &mut |_| left += 1).unwrap();
        assert_eq!(left, 0);
        String::from_utf8(out).unwrap()
    };
    let out = redact(&log);
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines[1], "		00ffffffffffff0010ac3cf1<serial-1>");
    assert_eq!(lines[2..4], rows[2..4]);
    assert_eq!(lines[4], "		00<serial-2>0090");
    assert_eq!(lines[5], "<uuid-1>");
    assert_eq!(redact(&out), out);
}

/// A value may be longer than what is looked at as a whole, and many may be long.
#[test]
fn very_long_values_are_replaced_at_a_bounded_cost() {
    let letters = |length: usize| "Z7".repeat(length / 2);
    let log = format!(
        "Serial Number: {}\nx\nSerial Number: {} more\ny\nSerial Number: {}\n",
        letters(3 << 20),
        letters(1 << 20),
        letters(64 << 10)
    );
    let mut redactor = Redactor::new(&crate::builtin::patterns(), Options::default());
    let findings = stream::learn(&mut redactor, log.as_bytes()).unwrap();
    let mut out = Vec::new();
    stream::redact(&mut redactor, findings, log.as_bytes(), &mut out).unwrap();
    let line = "Serial Number: <serial-more>\n";
    assert_eq!(String::from_utf8(out).unwrap(), format!("{line}x\n{line}y\n{line}"));
    assert!(redactor.values.all().is_empty());
}

#[test]
fn a_value_next_to_a_look_alike_is_replaced() {
    let mut redactor = Redactor::new(&crate::builtin::patterns(), Options::default());
    redactor.know(Kind::Serial, "FC0356727AFAZ");
    let encoded = "%46%43%30%33%35%36%37%32%37%41%46%41%5A\u{FF10}";
    let deep = "x=%25253D FC03567\u{200B}27AFAZ";
    for line in [encoded, "FC0356727AFAZ\u{FF10}", "\u{FF10}FC0356727AFAZ", deep] {
        let redacted = redactor.redact(line).into_owned();
        assert!(redacted.contains("<serial-1>"), "{redacted}");
        assert_eq!(redactor.leftovers(&redacted), [], "{redacted}");
    }
}
