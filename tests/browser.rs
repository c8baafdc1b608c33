//! The HTML report in a browser: what it shows, that no text of a log becomes markup, and that it
//! makes no network requests.
//!
//! `AMDTRIAGE_CHROMIUM` names the browser, which then must exist; otherwise `chromium` is looked
//! for.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::io::{Read, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use super::common::{Fixture, Run, child};

/// A host that occurs only in the text of a log.
const HOST: &str = "evil.example";

/// The browser, if there is one.
fn browser() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("AMDTRIAGE_CHROMIUM") {
        return Some(named.into());
    }
    let path = std::env::var_os("PATH")?;
    let found = std::env::split_paths(&path).map(|folder| folder.join("chromium"));
    let found = found.into_iter().find(|program| program.is_file());
    if found.is_none() {
        eprintln!("skipped: chromium is not installed");
    }
    found
}

/// A page as loaded by a browser.
struct Shown {
    /// The DOM.
    dom: String,
    /// The browser's messages.
    said: String,
    /// The first line of every request.
    asked: Vec<String>,
}

/// Opens `page` in `browser` with this test as its proxy.
fn shown(browser: &Path, page: &str, options: &[&str]) -> Shown {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("report.html");
    fs::write(&file, page).unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let proxy = format!("--proxy-server=http://{}", listener.local_addr().unwrap());
    let asked = heard(listener);
    let mut program = Command::new(browser);
    program
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"])
        .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
        .args(["--disable-dev-shm-usage", "--enable-logging=stderr", "--timeout=20000"])
        // Requests to this machine go through the proxy, too.
        .args([&proxy, "--proxy-bypass-list=<-loopback>"])
        .arg(format!("--user-data-dir={}", folder.path().join("profile").display()))
        .args(options)
        .arg(format!("file://{}", file.display()))
        .env("HOME", folder.path());
    let output =
        child::run(&mut program).unwrap_or_else(|error| panic!("{}: {error}", browser.display()));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    let asked = asked.lock().unwrap().clone();
    Shown { dom: String::from_utf8(output.stdout).unwrap(), said, asked }
}

fn dom(browser: &Path, page: &str) -> Shown {
    shown(browser, page, &["--dump-dom"])
}

/// Records requests to `listener`, and answers 404.
fn heard(listener: TcpListener) -> Arc<Mutex<Vec<String>>> {
    let asked = Arc::new(Mutex::new(Vec::new()));
    let heard = Arc::clone(&asked);
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let line = answered(stream);
            heard.lock().unwrap().push(line);
        }
    });
    asked
}

fn answered(mut stream: TcpStream) -> String {
    // A browser may open a connection and send nothing.
    let _ = stream.set_read_timeout(Some(Duration::from_secs(1)));
    let mut request = [0; 2048];
    let length = stream.read(&mut request).unwrap_or(0);
    let _ = stream
        .write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    let text = String::from_utf8_lossy(&request[..length]);
    text.lines().next().unwrap_or_default().to_owned()
}

impl Shown {
    /// Whether no request could have come from a log.
    fn is_silent(&self) -> bool {
        !self.asked.iter().any(|line| line.contains(HOST))
    }

    /// Whether the content security policy blocked something.
    fn is_restrained(&self) -> bool {
        self.said.contains("Content Security Policy")
    }

    /// The elements with their attributes' names, in order.
    fn elements(&self) -> Vec<String> {
        let (_, body) = self.dom.split_once("<body").unwrap();
        let tags = body.split('<').skip(1).filter_map(|rest| rest.split_once('>'));
        tags.map(|(tag, _)| without_values(tag)).collect()
    }
}

/// `a href rel` of `a href="x" rel="y"`.
fn without_values(tag: &str) -> String {
    let outside = tag.split('"').step_by(2);
    outside.collect::<String>().replace('=', "")
}

fn report(log: &str) -> String {
    Run::new(["--format", "html"]).input(log).output().stdout
}

/// A log in which every name that others can choose is `name`.
fn log(name: &str) -> String {
    let mut log = String::new();
    writeln!(log, "[    0.000000] Linux version 6.14.2{name} (builder@forge) #1 SMP").unwrap();
    writeln!(log, "[    0.000001] Command line: BOOT_IMAGE={name} quiet").unwrap();
    let gpu = "amdgpu 0000:03:00.0: amdgpu:";
    let lines = [
        format!(
            "[gfxhub] page fault (src_id:0 ring:24 vmid:3 pasid:32770, for process {name} pid 9 thread {name} pid 9)"
        ),
        "  in page starting at address 0x0000800100000000 from client 0x1b (UTCL2)".to_owned(),
        "ring gfx_0.0.0 timeout, signaled seq=1, emitted seq=2".to_owned(),
        format!("Process information: process {name} pid 9 thread {name} pid 9"),
        "GPU reset begin!".to_owned(),
        format!("{name} is not known to anybody"),
    ];
    for (at, line) in lines.iter().enumerate() {
        writeln!(log, "[   10.{at:06}] {gpu} {line}").unwrap();
    }
    writeln!(log, "[   11.000000] usb 1-1: Product: {name}").unwrap();
    log
}

/// Attempts at injection, without spaces, so that each is one word of a log.
const EVIL: [&str; 12] = [
    "<script>alert(1)</script>",
    "<img/src=//evil.example/image>",
    "<svg/onload=alert(1)>",
    "</pre></details><iframe/src=//evil.example/frame></iframe>",
    "</style><link/rel=stylesheet/href=//evil.example/style>",
    "</title></head><body><base/href=//evil.example/>",
    "<!--",
    "]]><![CDATA[",
    "&#x3c;b&#x3e;&lt;b&gt;",
    "\"onmouseover=alert(1)'x",
    "javascript:alert(1)//https://evil.example/link",
    "<meta/http-equiv=refresh/content=0;url=http://evil.example/>",
];

#[test]
fn a_browser_shows_the_report_as_it_was_meant() {
    let Some(browser) = browser() else { return };
    let fixture = Fixture::read("signatures/gfx11-mes-hang/hit-mode1-after-silence.log");
    let page = report(&fixture.text());
    let shown = dom(&browser, &page);
    for text in [
        "<h1>The GPU's scheduler firmware (MES) stopped responding.</h1>",
        "<summary>Lines of the log that show it: 14 events</summary>",
        "<h2>What the log does not show</h2>",
        "</footer>",
    ] {
        assert!(shown.dom.contains(text), "{text}: {}", shown.dom);
    }
    assert!(shown.is_silent() && !shown.is_restrained(), "{:?} {}", shown.asked, shown.said);
    // Checks that this browser would detect a violation.
    let other = page.replace("<style>", "<style>p { color: red }");
    assert!(dom(&browser, &other).is_restrained(), "the policy of the page is without force");
}

#[test]
fn no_text_of_a_log_becomes_an_element() {
    let Some(browser) = browser() else { return };
    let plain = dom(&browser, &reports(&EVIL.map(|_| "plain")));
    let shown = dom(&browser, &reports(&EVIL));
    assert!(plain.elements().len() > 500 && plain.elements().contains(&"/html".to_owned()));
    assert_eq!(shown.elements(), plain.elements());
    assert!(shown.is_silent() && !shown.is_restrained(), "{:?} {}", shown.asked, shown.said);
    assert!(!shown.dom.contains("href=\"javascript"), "{}", shown.dom);
}

/// A page with a log for each of `names`.
fn reports(names: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let mut run = Run::new(["--format", "html"]);
    for (at, name) in names.iter().enumerate() {
        // A file may have any name without slashes.
        let file = format!("{at:02}-{}.log", name.replace('/', "|"));
        fs::write(folder.path().join(&file), log(name)).unwrap();
        run = run.argument(file);
    }
    run.folder(folder.path()).output().stdout
}

/// Checks that the proxy would see a request.
#[test]
fn a_page_that_asks_is_heard() {
    let Some(browser) = browser() else { return };
    let page = format!("<!DOCTYPE html><body><img src=\"http://{HOST}/image\"></body>");
    let shown = dom(&browser, &page);
    assert!(!shown.is_silent(), "{:?}", shown.asked);
    assert_eq!(shown.elements(), ["img src", "/body", "/html"]);
}

/// Screenshots for people who change the style, written to cargo's directory for tests.
#[test]
fn a_browser_draws_the_report() {
    let Some(browser) = browser() else { return };
    let page = report(&Fixture::read("reports/five-incidents.log").text());
    let mut pictures = BTreeSet::new();
    for (name, width, scheme) in [("light", 1400, 1), ("dark", 1400, 0), ("narrow", 500, 1)] {
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("report-{name}.png"));
        let picture = format!("--screenshot={}", path.display());
        let size = format!("--window-size={width},2000");
        let scheme = format!("--blink-settings=preferredColorScheme={scheme}");
        shown(&browser, &page, &[&picture, &size, &scheme, "--hide-scrollbars"]);
        let bytes = fs::read(&path).unwrap();
        assert!(bytes.starts_with(b"\x89PNG"), "{name}");
        assert_eq!(bytes[16..20], u32::to_be_bytes(width), "{name}");
        assert!(pictures.insert(bytes), "{name} looks like another one");
    }
}
