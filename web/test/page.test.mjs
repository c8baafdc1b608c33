// The page in a real browser, held against the program on the command line.
//
//     AMDTRIAGE=/path/of/amdtriage PAGE=/path/of/index.html npm test
//
// CHROMIUM names the browser (chromium), and has to be there.

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, statSync, utimesSync, writeFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { after, before, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";

import { chromium } from "playwright-core";

const FIXTURES = resolve(import.meta.dirname, "../../fixtures");
const need = (name) => process.env[name] ?? assert.fail(`${name} is not set`);
const AMDTRIAGE = need("AMDTRIAGE");
const PAGE = pathToFileURL(resolve(need("PAGE"))).href;
const ZONE = "Europe/Berlin";
const LOG = join(FIXTURES, "formats/dmesg.log");

let browser;
let context;
let page;
let scratch;
// What the browser asked anybody for, and what it complained about.
let asked = [];
let said = [];

const program = (...words) => {
  const environment = { ...process.env, TZ: ZONE, HOME: scratch, XDG_CONFIG_HOME: scratch };
  const run = spawnSync(AMDTRIAGE, words, { cwd: scratch, env: environment, maxBuffer: 1 << 30 });
  if (run.error) throw run.error;
  return run.stdout.toString();
};

// A file in the scratch folder, with the date that browser and program are to see.
const stored = (name, bytes) => {
  const path = join(scratch, name);
  writeFileSync(path, bytes);
  utimesSync(path, 1767225600, 1767225600);
  return path;
};

const files = (folder) =>
  readdirSync(join(FIXTURES, folder), { recursive: true })
    .map((name) => join(FIXTURES, folder, name))
    .filter((path) => statSync(path).isFile() && !/\.(md|toml|png)$|\.journal|make$/.test(path));

async function opened(options = {}) {
  context = await browser.newContext({ timezoneId: ZONE, offline: true, acceptDownloads: true, ...options });
  page = await context.newPage();
  page.on("request", (request) => asked.push(request.url()));
  page.on("console", (message) => said.push(`${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => said.push(`error: ${error.message}`));
  page.on("dialog", (dialog) => {
    said.push(`dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  await page.goto(PAGE);
}

// What the page has shown since `act`.
async function answered(act) {
  await page.evaluate(() => document.getElementById("status").replaceChildren());
  await act();
  await page.waitForFunction(
    () => /^(The report is|Failed)/.test(document.getElementById("status").textContent),
    null,
    { timeout: 120000 },
  );
}

const choose = (...paths) => answered(() => page.setInputFiles("#files", paths));
const json = () => page.evaluate(() => shown.json.text());

const paste = (text) =>
  answered(() =>
    page.evaluate((text) => {
      const data = new DataTransfer();
      data.setData("text/plain", text);
      const field = document.getElementById("log");
      field.value = "";
      const event = new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true });
      // A text that the page does not take by itself goes into the field, as in a browser.
      if (field.dispatchEvent(event)) {
        field.value = text;
        document.getElementById("go").click();
      }
    }, text),
  );

const drop = (list) =>
  answered(() =>
    page.evaluate((list) => {
      const data = new DataTransfer();
      for (const { name, base64 } of list) {
        const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
        data.items.add(new File([bytes], name, { lastModified: 1767225600000 }));
      }
      document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
    }, list),
  );

before(async () => {
  scratch = mkdtempSync(join(tmpdir(), "amdtriage-web-"));
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: [
      "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
      "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
    ],
  });
  await opened();
});

after(async () => {
  await browser?.close();
  rmSync(scratch, { recursive: true, force: true });
});

describe("the report is the program's own", () => {
  for (const folder of ["formats", "signatures", "quiet", "boots", "devices", "hostile", "containers"]) {
    it(`of every fixture in ${folder}`, async () => {
      const list = files(folder);
      assert.ok(list.length > 0);
      for (const path of list) {
        const name = basename(path);
        stored(name, readFileSync(path));
        await choose(join(scratch, name));
        const want = program("--format", "json", name);
        if (await page.locator("#answer").isHidden()) {
          assert.ok(await page.locator("#said li").count(), `${path}: the page says nothing`);
          assert.ok(want === "" || JSON.parse(want).verdict === "no-kernel-log", path);
          continue;
        }
        assert.equal(await json(), want, path);
      }
    });
  }

  it("of pasted and of dropped logs", async () => {
    const list = files("formats").filter((path) => path.endsWith(".log")).slice(0, 12);
    assert.equal(list.length, 12);
    for (const path of list) {
      // What is pasted is text, and saved now.
      const text = readFileSync(path, "utf8").replaceAll("\0", "");
      writeFileSync(join(scratch, "pasted log"), text.replaceAll("\r\n", "\n"));
      await paste(text.replaceAll("\r\n", "\n"));
      assert.equal(await json(), program("--format", "json", "pasted log"), path);
      const bytes = readFileSync(path);
      stored("dropped.log", bytes);
      await drop([{ name: "dropped.log", base64: bytes.toString("base64") }]);
      assert.equal(await json(), program("--format", "json", "dropped.log"), path);
    }
  });

  it("of several files and of an archive", async () => {
    const names = ["dmesg.log", "journalctl-short.log"].filter((name) => files("formats").some((path) => basename(path) === name));
    for (const name of names) stored(name, readFileSync(join(FIXTURES, "formats", name)));
    await choose(...names.map((name) => join(scratch, name)));
    assert.equal(await json(), program("--format", "json", ...names));
    execFileSync("tar", ["-czf", "logs.tar.gz", ...names], { cwd: scratch });
    utimesSync(join(scratch, "logs.tar.gz"), 1767225600, 1767225600);
    await choose(join(scratch, "logs.tar.gz"));
    assert.equal(await json(), program("--format", "json", "logs.tar.gz"));
  });

  it("in HTML", async () => {
    stored("dmesg.log", readFileSync(LOG));
    await choose(join(scratch, "dmesg.log"));
    const html = await page.evaluate(() => shown.html.text());
    assert.equal(html, program("--format", "html", "dmesg.log"));
    const report = page.frameLocator("#report");
    await report.locator("main").waitFor();
    const height = await page.locator("#report").evaluate((frame) => frame.clientHeight);
    const inner = await page.locator("#report").evaluate((frame) => frame.contentDocument.documentElement.scrollHeight);
    assert.ok(height >= inner - 2, `${height} of ${inner} pixels are shown`);
  });
});

describe("what is given away", () => {
  const log = `${readFileSync(LOG, "utf8")}[   99.000000] r8169 0000:04:00.0 eth0: RTL8168h, 00:11:22:33:44:55, XID 541\n`;

  it("is redacted as the program does it", async () => {
    stored("mine.log", log);
    await choose(join(scratch, "mine.log"));
    const download = page.waitForEvent("download");
    await page.click("#redact");
    const saved = readFileSync(await (await download).path(), "utf8");
    assert.equal(saved, program("redact", "-q", "mine.log"));
    assert.ok(!saved.includes("00:11:22:33:44:55"));
  });

  const tracker = async () => {
    await page.click("#markdown");
    await page.waitForSelector("#tracker:not([hidden])");
    return page.inputValue("#text");
  };

  it("is copied for a tracker without what is private, the name of the file included", async () => {
    const text = await tracker();
    stored("redacted.log", program("redact", "-q", "mine.log"));
    assert.equal(text, program("--format", "markdown", "redacted.log"));
    assert.ok(!text.includes("00:11:22:33:44:55") && !text.includes("mine.log"), text);
  });

  it("keeps several logs apart", async () => {
    stored("alices-pc.log", log.trimEnd());
    stored("bobs-pc.log", readFileSync(join(FIXTURES, "formats/journal-short.log")));
    execFileSync("tar", ["-czf", "clarks-logs.tar.gz", "alices-pc.log", "bobs-pc.log"], { cwd: scratch });
    for (const chosen of [["alices-pc.log", "bobs-pc.log"], ["clarks-logs.tar.gz"]]) {
      await choose(...chosen.map((name) => join(scratch, name)));
      const download = page.waitForEvent("download");
      await page.click("#redact");
      const saved = readFileSync(await (await download).path(), "utf8");
      assert.equal(saved, program("redact", "-q", ...chosen));
      const text = await tracker();
      assert.match(text, /redacted-1\.log/);
      assert.match(text, /redacted-2\.log/);
      for (const name of ["alice", "bob", "clark"]) assert.ok(!text.includes(name), `${name}: ${text}`);
    }
  });

  it("says where values share a token", async () => {
    const address = (n) => `[    1.000000] kernel: SRC=10.${n >> 16}.${(n >> 8) & 255}.${n & 255} x\n`;
    stored("many.log", Array.from({ length: 10_100 }, (_, n) => address(n)).join("") + log);
    await choose(join(scratch, "many.log"));
    const download = page.waitForEvent("download");
    await page.click("#redact");
    const saved = readFileSync(await (await download).path(), "utf8");
    assert.ok(saved.includes("<ipv4-more>"));
    assert.match(await page.textContent("#said"), /the others share <ipv4-more>/);
  });

  it("leaves out what is no log", async () => {
    stored("mine.log", log);
    stored("picture.png", Buffer.from("89504e470d0a1a0a0000000d494844520000000100000001", "hex"));
    await choose(join(scratch, "mine.log"), join(scratch, "picture.png"));
    const download = page.waitForEvent("download");
    await page.click("#redact");
    assert.equal(readFileSync(await (await download).path(), "utf8"), program("redact", "-q", "mine.log"));
    assert.match(await page.textContent("#said"), /picture\.png is not a log and was left out/);
  });

  it("is saved as JSON and as a page", async () => {
    for (const [button, name] of [["#json", "amdtriage.json"], ["#html", "amdtriage.html"]]) {
      const download = page.waitForEvent("download");
      await page.click(button);
      assert.equal((await download).suggestedFilename(), name);
    }
  });
});

describe("what cannot be read", () => {
  it("is said", async () => {
    stored("empty.log", "");
    stored("picture.png", Buffer.from("89504e470d0a1a0a0000000d494844520000000100000001", "hex"));
    const packed = gzipSync(readFileSync(LOG));
    stored("cut.log.gz", packed.subarray(0, packed.length / 2));
    await choose(...["empty.log", "picture.png", "cut.log.gz"].map((name) => join(scratch, name)));
    const items = await page.locator("#said li").allTextContents();
    for (const part of ["empty.log is empty", "picture.png is ", "cut.log.gz is a truncated gzip file"]) {
      assert.ok(items.some((item) => item.includes(part)), `${part}: ${items}`);
    }
  });

  it("without a log somebody is asked for one", async () => {
    await page.fill("#log", "  ");
    await page.click("#go");
    assert.match(await page.textContent("#status"), /Paste a log/);
  });
});

describe("the report in its frame", () => {
  it("keeps its own anchors and opens other links beside the page", async () => {
    stored("dmesg.log", readFileSync(LOG));
    stored("other.log", readFileSync(join(FIXTURES, "formats/journal-short.log")));
    await choose(join(scratch, "dmesg.log"), join(scratch, "other.log"));
    const report = page.frameLocator("#report");
    await report.locator('a[href="about:srcdoc#log-2"]').first().click();
    await page.waitForTimeout(200);
    assert.equal(context.pages().length, 1);
    assert.ok(await report.locator("main").count(), "the report is gone");
    const links = await report.locator('a[href^="http"]').evaluateAll((all) => all.map((one) => [one.target, one.rel]));
    assert.ok(links.length > 0);
    for (const link of links) assert.deepEqual(link, ["_blank", "noopener noreferrer"]);
  });

  it("takes logs that are dropped on it, and shrinks with them", async () => {
    const height = () => page.locator("#report").evaluate((frame) => frame.clientHeight);
    const before = await height();
    const bytes = readFileSync(join(FIXTURES, "quiet/mini-strix-halo.log")).toString("base64");
    await answered(() =>
      page.locator("#report").evaluate((frame, base64) => {
        const data = new DataTransfer();
        const raw = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
        data.items.add(new File([raw], "healthy.log", { lastModified: 1767225600000 }));
        const drop = new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true });
        frame.contentDocument.body.dispatchEvent(drop);
      }, bytes));
    assert.match(await page.frameLocator("#report").locator("body").textContent(), /healthy\.log/);
    await page.waitForTimeout(200);
    assert.ok(await height() < before, `${await height()} of ${before} pixels`);
  });
});

describe("the last log counts", () => {
  it("not the beginning of a long one that the field shows", async () => {
    const filler = "[    1.000000] usb 1-1: new high-speed USB device number 2 using xhci_hcd\n".repeat(4000);
    const text = filler + readFileSync(LOG, "utf8");
    await paste(text);
    const first = JSON.parse(await json());
    await answered(() => page.click("#go"));
    assert.equal(JSON.parse(await json()).verdict, "failure");
    assert.equal(first.inputs[0].lines, JSON.parse(await json()).inputs[0].lines);
  });

  it("not one whose successor cannot be read", async () => {
    stored("dmesg.log", readFileSync(LOG));
    await choose(join(scratch, "dmesg.log"));
    stored("empty.log", "");
    await choose(join(scratch, "empty.log"));
    assert.ok(await page.locator("#answer").isHidden());
    assert.match(await page.textContent("#said"), /empty\.log is empty/);
  });

  it("and a report is cut before it is too long", async () => {
    for (let at = 0; at < 230; at += 1) stored(`many-${at}.log`, readFileSync(LOG));
    execFileSync("sh", ["-c", "tar -czf many.tar.gz many-*.log"], { cwd: scratch });
    await choose(join(scratch, "many.tar.gz"));
    assert.equal(JSON.parse(await json()).inputs.length, 200);
    assert.match(await page.textContent("#said"), /first 200 logs/);
  });
});

describe("a hostile log", () => {
  it("puts nothing into the page", async () => {
    const own = () => page.locator("body *:not(#said li)").count();
    const before = await own();
    const bait = [
      '<script>window.hit = 1</script>', '<img src=x onerror="parent.hit = 1">', '</textarea><script>hit = 1</script>',
      '"><svg onload="hit=1">', "javascript:alert(1)", "</iframe><script>alert(1)</script>", "\u202egnp.exe", "\x1b]8;;http://evil.example\x07x",
    ];
    const lines = bait.map((text, at) =>
      `[${at + 1}.000000] amdgpu 0000:03:00.0: amdgpu: [gfxhub] page fault (src_id:0 ring:8 vmid:3 pasid:32771, for process ${text} pid 1 thread ${text} pid 2)`);
    const bytes = Buffer.from([...lines, ...bait].join("\n"));
    await drop([{ name: '<img src=x onerror="hit=1">.log', base64: bytes.toString("base64") }]);
    assert.equal(await page.evaluate(() => window.hit), undefined);
    assert.equal(await page.locator("#report").evaluate((frame) => frame.contentDocument.querySelectorAll("script, img, iframe, object").length), 0);
    assert.equal(await own(), before);
  });
});

describe("work can be stopped", () => {
  it("and the page goes on", async () => {
    const line = readFileSync(LOG, "utf8");
    stored("long.log", line.repeat(Math.ceil((64 << 20) / line.length)));
    await page.setInputFiles("#files", join(scratch, "long.log"));
    await page.click("#cancel");
    assert.equal(await page.textContent("#status"), "Cancelled.");
    stored("dmesg.log", readFileSync(LOG));
    await choose(join(scratch, "dmesg.log"));
    assert.equal(await json(), program("--format", "json", "dmesg.log"));
  });
});

describe("by keyboard, on a phone", () => {
  it("everything is reached and has a name", async () => {
    const desktop = context;
    await opened({ viewport: { width: 390, height: 800 }, hasTouch: true, isMobile: true });
    stored("dmesg.log", readFileSync(LOG));
    await choose(join(scratch, "dmesg.log"));
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= 390, `${wide} pixels wide`);
    const wanted = ["log", "go", "files", "redact", "markdown", "html", "json"];
    const reached = new Set();
    await page.evaluate(() => document.activeElement.blur());
    // The report stands between them; each heading in it that can be opened is a stop.
    for (let at = 0; at < 200 && wanted.some((id) => !reached.has(id)); at += 1) {
      await page.keyboard.press("Tab");
      reached.add(await page.evaluate(() => document.activeElement.id));
    }
    for (const id of wanted) {
      assert.ok(reached.has(id), `${id} is not reached: ${[...reached]}`);
    }
    const nameless = await page.evaluate(() =>
      [...document.querySelectorAll("button, input, textarea, iframe, progress")]
        .filter((one) => !(one.textContent.trim() || one.labels?.length || one.title || one.getAttribute("aria-label")))
        .map((one) => one.id));
    assert.deepEqual(nameless, []);
    await context.close();
    context = desktop;
    page = context.pages()[0];
  });
});

describe("the browser", () => {
  it("was asked for nothing but the page and complained about nothing", () => {
    const others = asked.filter((url) => url !== PAGE && !url.startsWith("blob:") && url !== "about:srcdoc");
    assert.deepEqual(others, []);
    assert.deepEqual(said, []);
  });

  it("refuses to send anything", async () => {
    const outcome = await page.evaluate(async () => {
      try {
        await fetch("http://127.0.0.1:9/");
        return "sent";
      } catch (error) {
        return error.name;
      }
    });
    assert.equal(outcome, "TypeError");
    assert.ok(said.some((line) => line.includes("Content Security Policy")), `${said}`);
  });
});
