"use strict";
// The page: takes logs, has a worker run the program, and shows what it wrote.

const element = (id) => document.getElementById(id);
const PASTED = "pasted log";
// A text field is slow with longer texts, which are only read.
const LONGEST_SHOWN = 200000;
const BEGINNING_SHOWN = 2000;
// A longer report is saved, not shown: laying it out would stop the browser.
const LARGEST_SHOWN = 16 << 20;
const LONGEST_NAME = 80;
const MOST_WARNINGS = 20;
const MOST_DROPPED = 1000;

let worker = null;
// The logs that were read last, and what was made of them.
let shown = null;
// A pasted text of which the field shows the beginning.
let long = null;
let resized = null;

async function unpacked(id) {
  const packed = Uint8Array.from(atob(element(id).textContent), (letter) => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

const starting = unpacked("program").then((bytes) => WebAssembly.compile(bytes));
starting.catch((error) => say(`This browser cannot run the program in this page: ${error.message}`));
const script = URL.createObjectURL(new Blob([element("worker").textContent], { type: "text/javascript" }));

function say(sentence) {
  element("status").textContent = sentence;
}

// What may come from a log or from the name of a file: no line of its own, nothing invisible.
function visible(text) {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (letter) => `\\u{${letter.codePointAt(0).toString(16)}}`);
}

function shortened(name) {
  const letters = [...visible(name)];
  return letters.length > LONGEST_NAME ? `…${letters.slice(-LONGEST_NAME).join("")}` : letters.join("");
}

function warn(sentence) {
  const said = element("said");
  if (said.children.length >= MOST_WARNINGS) return;
  const item = document.createElement("li");
  const last = said.children.length + 1 === MOST_WARNINGS;
  item.textContent = last ? "There is more that could not be read." : visible(sentence).slice(0, 1000);
  said.append(item);
  said.hidden = false;
}

function unwarn() {
  element("said").replaceChildren();
  element("said").hidden = true;
}

function busy(on) {
  element("work").hidden = !on;
  element("bar").value = 0;
  // Disabled, the button that was pressed would lose the focus.
  for (const button of document.querySelectorAll("#give button")) button.setAttribute("aria-disabled", on);
}

function stop(sentence) {
  const cancelled = document.activeElement === element("cancel");
  worker?.terminate();
  worker = null;
  busy(false);
  say(sentence);
  if (cancelled) element("go").focus();
}

function fail(sentence) {
  warn(sentence);
  stop("Failed.");
}

// Runs a task over files; what the worker says in the end goes to `finish`.
async function run(task, files, doing, finish) {
  worker?.terminate();
  unwarn();
  say("");
  const own = new Worker(script);
  worker = own;
  busy(true);
  element("doing").textContent = doing;
  own.onmessage = ({ data }) => {
    if (data.progress !== undefined) {
      element("bar").value = data.progress;
      element("doing").textContent = `${doing} ${shortened(data.name)}: ${Math.floor(100 * data.progress)} %`;
    } else if (data.said !== undefined) {
      warn(data.said);
    } else if (data.failed !== undefined) {
      fail(data.failed);
    } else {
      stop("");
      finish(data).catch((error) => fail(`The result cannot be shown: ${error.message}`));
    }
  };
  own.onerror = (event) => {
    event.preventDefault();
    fail(`The log could not be processed: ${event.message}`);
  };
  try {
    const module = await starting;
    if (worker === own) own.postMessage({ task, module, files });
  } catch (error) {
    if (worker === own) fail(`This browser cannot run the program in this page: ${error.message}`);
  }
}

// The report as the frame shows it: its own anchors stay in it, and other links open beside this page.
function framed(html) {
  const parsed = new DOMParser().parseFromString(html, "text/html");
  for (const link of parsed.querySelectorAll("a[href]")) {
    const to = link.getAttribute("href");
    if (to.startsWith("#")) {
      link.setAttribute("href", `about:srcdoc${to}`);
    } else {
      link.target = "_blank";
      link.rel = "noopener noreferrer";
    }
  }
  return `<!DOCTYPE html>${parsed.documentElement.outerHTML}`;
}

function diagnose(files) {
  const mine = { files };
  shown = mine;
  element("answer").hidden = true;
  element("tracker").hidden = true;
  run("triage", files, "Reading", async ({ html, json }) => {
    const fits = html.size <= LARGEST_SHOWN;
    const page = fits ? await html.text() : "";
    if (shown !== mine) return;
    Object.assign(mine, { html, json });
    element("report").hidden = !fits;
    element("report").srcdoc = fits ? framed(page) : "";
    element("answer").hidden = false;
    element("answer").focus();
    say(fits ? "The report is ready." : "The report is too long to be shown here. Save it, or open fewer logs.");
  });
}

function fit() {
  const inner = element("report").contentDocument;
  if (!inner?.body) return;
  const resize = () => {
    element("report").style.height = `${inner.documentElement.offsetHeight + 2}px`;
  };
  resized?.disconnect();
  resized = new ResizeObserver(resize);
  resized.observe(inner.body);
  resize();
  takeDrops(inner);
}

function save(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

// What is given away is made of the redacted log, once.
function withRedacted(use) {
  const mine = shown;
  if (mine.redacted) {
    use(mine);
    return;
  }
  run("redact", mine.files, "Removing private data from", async ({ markdown, redacted }) => {
    Object.assign(mine, { markdown, redacted });
    if (shown === mine) await use(mine);
  });
}

async function copyForTracker(mine) {
  const text = await mine.markdown.text();
  if (shown !== mine) return;
  element("text").value = text;
  element("tracker").hidden = false;
  element("tracker").scrollIntoView({ block: "nearest" });
  try {
    await navigator.clipboard.writeText(text);
    say("Copied. Review it before you share it.");
  } catch {
    element("text").focus();
    element("text").select();
    say("Copy the selected text, and review it before you share it.");
  }
}

const named = (file) => ({ blob: file, name: file.name, modified: file.lastModified });
const pasted = (text) => ({ blob: new Blob([text]), name: PASTED, modified: Date.now() });

// The files of what was dropped, with those of folders.
async function dropped(entries, found = []) {
  for (const entry of entries) {
    if (found.length >= MOST_DROPPED) break;
    if (entry.isFile) {
      const file = await new Promise((done, failed) => entry.file(done, failed));
      found.push({ ...named(file), name: entry.fullPath.replace(/^\//, "") });
    } else {
      const reader = entry.createReader();
      const next = () => new Promise((done, failed) => reader.readEntries(done, failed));
      for (let some = await next(); some.length > 0; some = await next()) await dropped(some, found);
    }
  }
  return found;
}

function takeDrops(target) {
  const over = (event) => {
    event.preventDefault();
    document.body.classList.add("over");
  };
  target.addEventListener("dragenter", over);
  target.addEventListener("dragover", over);
  target.addEventListener("dragleave", (event) => {
    if (!event.relatedTarget) document.body.classList.remove("over");
  });
  target.addEventListener("drop", async (event) => {
    event.preventDefault();
    document.body.classList.remove("over");
    const entries = [...event.dataTransfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
    const text = event.dataTransfer.getData("text/plain");
    let files = [...event.dataTransfer.files].map(named);
    if (entries.some((entry) => entry.isDirectory)) {
      files = await dropped(entries).catch((error) => {
        fail(`The folder cannot be read: ${error.message}`);
        return [];
      });
      if (files.length === 0) return;
    }
    if (files.length > 0) diagnose(files);
    else if (text !== "") diagnose([pasted(text)]);
  });
}

element("ask").addEventListener("submit", (event) => {
  event.preventDefault();
  const value = element("log").value;
  const text = long?.beginning === value ? long.text : value;
  if (text.trim() === "") {
    say("Paste a log or open a file first.");
    element("log").focus();
  } else {
    diagnose([pasted(text)]);
  }
});
element("log").addEventListener("paste", (event) => {
  const files = [...(event.clipboardData?.files ?? [])];
  const text = event.clipboardData?.getData("text/plain") ?? "";
  if (text === "" && files.length > 0) {
    event.preventDefault();
    diagnose(files.map(named));
  } else if (text.length > LONGEST_SHOWN) {
    event.preventDefault();
    const beginning = `${text.slice(0, BEGINNING_SHOWN)}\n… ${text.length} characters were pasted; this is the beginning`;
    element("log").value = beginning;
    long = { text, beginning: element("log").value };
    diagnose([pasted(text)]);
  }
});
element("files").addEventListener("change", (event) => {
  const files = [...event.target.files];
  if (files.length > 0) diagnose(files.map(named));
  event.target.value = "";
});
element("cancel").addEventListener("click", () => stop("Cancelled."));
element("report").addEventListener("load", fit);

function give(id, act) {
  element(id).addEventListener("click", () => {
    if (worker === null) act();
  });
}
give("redact", () => withRedacted((mine) => {
  save(mine.redacted, "redacted.log");
  say("Saved as redacted.log. Review it before you share it.");
}));
give("markdown", () => withRedacted((mine) => copyForTracker(mine).catch((error) => fail(error.message))));
give("json", () => save(shown.json, "amdtriage.json"));
give("html", () => save(shown.html, "amdtriage.html"));
takeDrops(window);

// On paper the report has a width of its own, and nothing in it is folded.
addEventListener("beforeprint", () => {
  const frame = element("report");
  const inner = frame.contentDocument;
  if (!inner?.body) return;
  for (const part of inner.querySelectorAll("details:not([open])")) {
    part.open = true;
    part.dataset.folded = "";
  }
  frame.style.width = "180mm";
  frame.style.height = `${inner.documentElement.offsetHeight}px`;
});
addEventListener("afterprint", () => {
  const frame = element("report");
  for (const part of frame.contentDocument?.querySelectorAll("details[data-folded]") ?? []) {
    part.open = false;
    delete part.dataset.folded;
  }
  frame.style.width = "";
});
