//! Distributions: how a log or a machine identifies one, and how a kernel parameter is set on each
//! (`patterns/distributions.toml`).

use serde::{Deserialize, Serialize};

use super::advice::{Advice, Command};
use super::document::{Table, record};
use super::glob::Glob;
use super::source::Noun;
use crate::value::{DistributionFamily, Topic, command_line_words};

record! {
    /// A distribution, or several that look the same.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    pub(crate) struct Distribution {
        /// The stable identifier.
        pub id: String,
        /// Its name for people.
        pub name: String,
        /// The family whose commands work on it.
        pub family: DistributionFamily,
        /// The distribution that it is based on, if it has no commands of its own; its os-release
        /// may have that one's name.
        pub base: Option<String>,
        /// Its names in os-release(5): `ID`, `VARIANT_ID` or `ID_LIKE`.
        pub ids: Vec<String>,
        /// What people and programs call it, in lower case.
        pub titles: Vec<Glob>,
        /// The names that its installer gives to a machine.
        pub hosts: Vec<String>,
        /// Words of text around a log that only its users have.
        pub mentions: Vec<String>,
        /// Releases of its kernels.
        pub releases: Vec<Glob>,
        /// Banners of its kernels (the first line).
        pub banners: Vec<Glob>,
        /// Builds of its kernels, as `uname -v` and reports of crashes print them.
        pub builds: Vec<Glob>,
        /// Words on its kernels' command lines.
        pub words: Vec<Glob>,
        /// Lines of its drivers, if the kernel's release, banner and command line do not identify
        /// it.
        pub lines: Vec<Glob>,
        /// Sample lines that identify it.
        pub sample: Vec<String>,
        /// The source of these facts.
        pub source: String,
    }
    check
}

record! {
    /// How to set and remove a kernel parameter.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    pub(crate) struct BootParameter {
        pub family: DistributionFamily,
        /// The distributions of the family that it applies to; empty for all.
        pub distributions: Vec<String> as "distribution",
        /// The modules whose parameters it applies to; empty for all parameters.
        pub modules: Vec<String>,
        /// Commands that set the parameter.
        pub set: String,
        /// What else to know about them.
        pub set_comment: Option<String>,
        /// Commands that remove the parameter.
        pub remove: String,
        /// What else to know about them.
        pub remove_comment: Option<String>,
        /// The source of these facts.
        pub source: String,
    }
    check
}

record! {
    /// The words before what such a line states: `OS: Fedora 44`.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    pub(crate) struct Label {
        pub topic: Topic,
        /// The words, in lower case.
        pub labels: Vec<String>,
    }
}

/// The distribution of a machine, as far as it is known.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct System {
    pub family: DistributionFamily,
    /// The distribution within the family.
    pub distribution: Option<String>,
}

impl System {
    /// Any distribution of this family.
    pub(crate) const fn of_family(family: DistributionFamily) -> Self {
        Self { family, distribution: None }
    }

    /// Its name for `--distro`.
    pub(crate) fn name(&self) -> &str {
        self.distribution.as_deref().unwrap_or_else(|| self.family.name())
    }
}

/// All distributions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Distributions {
    all: Vec<Distribution>,
    boot_parameters: Vec<BootParameter>,
    labels: Vec<Label>,
    /// The distribution of the machine, given by the user or read from the machine.
    #[serde(skip)]
    assumed: Option<System>,
}

impl Distributions {
    /// Adds the entries of a file. Entries of later files take precedence.
    pub(super) fn add(&mut self, file: &Table<'_>) {
        let (mut new, mut ways) = (Vec::new(), Vec::new());
        file.collect("distribution", &mut new);
        file.collect("boot_parameter", &mut ways);
        file.collect("label", &mut self.labels);
        self.all.splice(0..0, new);
        self.boot_parameters.splice(0..0, ways);
        for entry in file.tables("distribution") {
            let own = entry.get("id").and_then(|id| id.text());
            for sample in entry.items("sample") {
                let Some(line) = sample.text() else { continue };
                let found = self.of_line(line);
                if found.map(|found| found.id.as_str()) != own {
                    let found = found.map_or("none", |found| found.id.as_str());
                    sample.mistake(format!("this line shows another distribution: {found}"));
                }
            }
        }
    }

    /// The ids of all.
    pub(super) fn ids(&self) -> impl Iterator<Item = &str> {
        self.all.iter().map(|one| one.id.as_str())
    }

    /// The names by which people can choose one.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.all.iter().flat_map(|one| one.ids.iter().chain([&one.id])).map(String::as_str)
    }

    /// The distribution that people call `name`.
    pub(crate) fn called(&self, name: &str) -> Option<System> {
        let is = |one: &&Distribution| one.id == name;
        self.of_names([name])
            .or_else(|| self.all.iter().find(is).map(Distribution::system))
            .or_else(|| self.of_title(name))
    }

    /// Assumes this distribution for every log, whatever its lines show.
    pub(crate) fn assume(&mut self, told: Option<System>) {
        self.assumed = told;
    }

    /// The distribution that was assumed.
    pub(crate) const fn assumed(&self) -> Option<&System> {
        self.assumed.as_ref()
    }

    /// The distribution identified by the first of these names that is known.
    pub(crate) fn of_names<'n>(&self, names: impl IntoIterator<Item = &'n str>) -> Option<System> {
        let known = |name: &str| self.all.iter().find(|one| one.ids.iter().any(|id| id == name));
        names.into_iter().find_map(known).map(Distribution::system)
    }

    /// The distribution of a machine with these names and this kernel release.
    pub(crate) fn of_machine<'n>(
        &self,
        names: impl IntoIterator<Item = &'n str>,
        release: Option<&str>,
    ) -> Option<System> {
        let told = self.of_names(names)?;
        let exact = self.shown(release, None, None).filter(|shown| shown.is_exact_for(&told));
        Some(exact.map_or(told, Distribution::system))
    }

    /// The distribution of a kernel with this release, banner and command line. An assumed
    /// distribution takes precedence, unless the kernel identifies one of its derivatives.
    pub(crate) fn of_kernel(
        &self,
        release: Option<&str>,
        banner: Option<&str>,
        command_line: Option<&str>,
    ) -> Option<System> {
        let shown = self.shown(release, banner, command_line);
        let exact =
            |shown: &&Distribution| self.assumed.as_ref().is_none_or(|it| shown.is_exact_for(it));
        shown.filter(exact).map(Distribution::system).or_else(|| self.assumed.clone())
    }

    fn shown(
        &self,
        release: Option<&str>,
        banner: Option<&str>,
        command_line: Option<&str>,
    ) -> Option<&Distribution> {
        let words = command_line.map(command_line_words).unwrap_or_default();
        let is = |globs: &[Glob], text: Option<&str>| {
            text.is_some_and(|text| globs.iter().any(|glob| glob.matches(text)))
        };
        // The command line is decisive; two distributions may build their kernels alike.
        let by_words = |one: &&Distribution| words.iter().any(|word| is(&one.words, Some(word)));
        let by_kernel =
            |one: &&Distribution| is(&one.releases, release) || is(&one.banners, banner);
        let mut all = self.all.iter();
        all.clone().find(by_words).or_else(|| all.find(by_kernel))
    }

    /// The distribution that a kernel's banner or command line identifies.
    fn of_line(&self, line: &str) -> Option<&Distribution> {
        if let Some(words) = line.strip_prefix("Command line: ") {
            return self.shown(None, None, Some(words));
        }
        let Some(release) = line.strip_prefix("Linux version ") else {
            return self.printing(line);
        };
        let release = release.split(' ').next();
        self.shown(release, Some(line), None)
    }

    fn printing(&self, line: &str) -> Option<&Distribution> {
        self.all.iter().find(|one| one.lines.iter().any(|glob| glob.matches(line)))
    }

    /// The distribution whose drivers print this line.
    pub(crate) fn of_driver_line(&self, line: &str) -> Option<System> {
        self.printing(line).map(Distribution::system)
    }

    /// The distribution whose installer calls a machine `host`.
    pub(crate) fn of_host(&self, host: &str) -> Option<System> {
        let named = |one: &&Distribution| one.hosts.iter().any(|known| known == host);
        self.all.iter().find(named).map(Distribution::system)
    }

    /// The distribution that builds kernels of this release.
    pub(crate) fn of_release(&self, release: &str) -> Option<System> {
        self.shown(Some(release), None, None).map(Distribution::system)
    }

    /// The distribution that a text mentions with a word of its own.
    pub(crate) fn of_mention(&self, text: &str) -> Option<System> {
        let has =
            |one: &&Distribution| one.mentions.iter().any(|word| text.contains(word.as_str()));
        self.all.iter().find(has).map(Distribution::system)
    }

    /// The distribution of a kernel's build, such as `#134-Ubuntu SMP`.
    pub(crate) fn of_build(&self, build: &str) -> Option<System> {
        let has = |one: &&Distribution| one.builds.iter().any(|glob| glob.matches(build));
        self.all.iter().find(has).map(Distribution::system)
    }

    /// The distribution that people call so, such as `Ubuntu 24.04 LTS`.
    pub(crate) fn of_title(&self, title: &str) -> Option<System> {
        let title = title.to_lowercase();
        let called = |one: &&Distribution| one.titles.iter().any(|glob| glob.matches(&title));
        self.all.iter().find(called).map(Distribution::system)
    }

    /// What a line with this label states.
    pub(crate) fn topic(&self, label: &str) -> Option<Topic> {
        let is_label = |one: &&Label| one.labels.iter().any(|it| it.eq_ignore_ascii_case(label));
        self.labels.iter().find(is_label).map(|one| one.topic)
    }

    /// Whether `shown` is `told` or a derivative of it.
    pub(crate) fn is_exact(&self, shown: &System, told: &System) -> bool {
        let known = |one: &&Distribution| Some(&one.id) == shown.distribution.as_ref();
        self.all.iter().find(known).is_some_and(|one| one.is_exact_for(told))
    }

    /// The commands of `advice` on `system`; on all distributions, if it is unknown.
    pub(crate) fn commands(&self, advice: &Advice, system: Option<&System>) -> Vec<Command> {
        let set = advice.sets.as_ref().map(|sets| (sets.parameter.as_str(), Some(&sets.value)));
        let removed = advice.removes.as_deref().map(|parameter| (parameter, None));
        let parameters = set.into_iter().chain(removed);
        let ways = parameters.flat_map(|(parameter, value)| self.ways(parameter, value));
        let all: Vec<Command> = advice.commands.iter().cloned().chain(ways).collect();
        let kept = all.iter().filter(|command| self.is_for(command, &all, system));
        kept.map(|command| self.named(command, system)).collect()
    }

    /// The commands to set `parameter` to a value, or to remove it, on each distribution.
    fn ways(&self, parameter: &str, value: Option<&String>) -> Vec<Command> {
        let (module, name) = parameter.split_once('.').unwrap_or(("", parameter));
        let stem = parameter.replace(['.', '_'], "-");
        let filled = |text: &str| {
            let setting = value.map(|value| format!("{parameter}={value}"));
            text.replace("{setting}", setting.as_deref().unwrap_or(parameter))
                .replace("{parameter}", parameter)
                .replace("{module}", module)
                .replace("{name}", name)
                .replace("{value}", value.map_or("", String::as_str))
                .replace("{file}", &stem)
        };
        let mut told: Vec<(DistributionFamily, &[String])> = Vec::new();
        let mut ways = Vec::new();
        for way in &self.boot_parameters {
            let place = (way.family, way.distributions.as_slice());
            let fits = way.modules.is_empty() || way.modules.iter().any(|own| own == module);
            if !fits || told.contains(&place) {
                continue;
            }
            told.push(place);
            let (command, comment) = match value {
                Some(_) => (&way.set, &way.set_comment),
                None => (&way.remove, &way.remove_comment),
            };
            ways.push(Command {
                families: vec![way.family],
                distributions: way.distributions.clone(),
                text: filled(command.trim()),
                comment: comment.as_deref().map(filled),
            });
        }
        ways
    }

    /// Whether `command`, one of `all`, is for `system`.
    fn is_for(&self, command: &Command, all: &[Command], system: Option<&System>) -> bool {
        let Some(System { family, distribution }) = system else { return true };
        if *family == DistributionFamily::Any || command.is_for(DistributionFamily::Any) {
            return true;
        }
        let Some(id) = distribution.as_deref().filter(|_| !command.distributions.is_empty()) else {
            return command.is_for(*family);
        };
        let names = |one: &Command, id: &str| one.distributions.iter().any(|own| own == id);
        let own = all.iter().any(|one| one.is_for(*family) && names(one, id));
        let base = self.all.iter().find(|one| one.id == id).and_then(|one| one.base.as_deref());
        let wanted = if own { Some(id) } else { base };
        command.is_for(*family) && wanted.is_some_and(|wanted| names(command, wanted))
    }

    /// `command` with the names of its distributions, if the reader must know them.
    fn named(&self, command: &Command, system: Option<&System>) -> Command {
        let mut command = command.clone();
        if let Some(System { family, distribution }) = system
            && *family != DistributionFamily::Any
        {
            // Other families are not shown.
            command.families.retain(|own| own == family || *own == DistributionFamily::Any);
            if distribution.is_some() {
                command.distributions.clear();
            }
        }
        for id in &mut command.distributions {
            if let Some(known) = self.all.iter().find(|one| one.id == *id) {
                id.clone_from(&known.name);
            }
        }
        command
    }
}

impl Distribution {
    fn system(&self) -> System {
        System { family: self.family, distribution: Some(self.id.clone()) }
    }

    /// Whether it is more specific than `told`: Proxmox VE, for example, reports itself as Debian.
    fn is_exact_for(&self, told: &System) -> bool {
        let is_base = |id: &String| self.base.as_ref() == Some(id);
        self.family == told.family && told.distribution.as_ref().is_none_or(is_base)
    }

    #[allow(clippy::unused_self, reason = "`record!` calls it on what was read")]
    fn check(&self, table: &Table<'_>) {
        table.gives(Noun::Distribution, "id");
        table.uses(Noun::Distribution, "base");
        let any = self.family == DistributionFamily::Any;
        table.mistake_at("family", any, "no distribution is all of them");
        let ways = ["ids", "releases", "banners", "words", "lines"];
        if !table.has_one_of(&ways) {
            table.mistake(format!("nothing shows it: one of {} is needed", ways.join(", ")));
        }
        if table.has_one_of(&["releases", "banners", "words", "lines"]) {
            table.require("sample");
        }
    }
}

impl BootParameter {
    #[allow(clippy::unused_self, reason = "`record!` calls it on what was read")]
    fn check(&self, table: &Table<'_>) {
        table.uses(Noun::Distribution, "distribution");
    }
}

#[cfg(test)]
mod tests;
