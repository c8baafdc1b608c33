"use strict";
// The page: takes logs, has a worker run the program, and shows what it wrote.

const element = (id) => document.getElementById(id);
const PASTED = "pasted log";
// A text field is slow with longer texts, which are only read.
const LONGEST_SHOWN = 200000;

let worker = null;
let shown = null;

async function unpacked(id) {
  const packed = Uint8Array.from(atob(element(id).textContent), (letter) => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

const program = unpacked("program").then((bytes) => WebAssembly.compile(bytes));
const script = URL.createObjectURL(new Blob([element("worker").textContent], { type: "text/javascript" }));

function say(sentence) {
  element("status").textContent = sentence;
}

function warn(sentence) {
  const item = document.createElement("li");
  item.textContent = sentence;
  element("said").append(item);
  element("said").hidden = false;
}

function busy(on) {
  element("work").hidden = !on;
  element("bar").value = 0;
  for (const button of document.querySelectorAll("#go, #give button")) button.disabled = on;
}

function stop(sentence) {
  worker?.terminate();
  worker = null;
  busy(false);
  say(sentence);
}

// Runs a task over files; what the worker says in the end goes to `finish`.
async function run(task, files, doing, finish) {
  worker?.terminate();
  const own = new Worker(script);
  worker = own;
  busy(true);
  element("doing").textContent = doing;
  say(doing);
  const module = await program.catch((error) => {
    stop(`The program in this page cannot start here: ${error.message}`);
  });
  if (!module || worker !== own) return;
  own.onmessage = ({ data }) => {
    if (data.progress !== undefined) {
      element("bar").value = data.progress;
      element("doing").textContent = `${doing} ${data.name}: ${Math.floor(100 * data.progress)} %`;
    } else if (data.said !== undefined) {
      warn(data.said);
    } else if (data.failed !== undefined) {
      warn(data.failed);
      stop("Failed.");
      element("answer").hidden = false;
    } else {
      stop("");
      finish(data);
    }
  };
  own.onerror = (event) => {
    event.preventDefault();
    warn(`The log could not be processed: ${event.message}`);
    stop("Failed.");
    element("answer").hidden = false;
  };
  own.postMessage({ task, module, files });
}

function diagnose(files) {
  shown = { files };
  element("said").replaceChildren();
  element("said").hidden = true;
  element("answer").hidden = true;
  element("tracker").hidden = true;
  run("triage", files, "Reading", async ({ html, json }) => {
    shown = { files, html, json };
    const page = await html.text();
    // Links of the report open beside this page.
    element("report").srcdoc = page.replace("<head>", '<head><base target="_blank">');
    element("answer").hidden = false;
    element("answer").focus();
    say("The report is ready.");
  });
}

function fit() {
  const inner = element("report").contentDocument;
  if (!inner?.documentElement) return;
  const resize = () => {
    element("report").style.height = `${inner.documentElement.scrollHeight + 2}px`;
  };
  new ResizeObserver(resize).observe(inner.body);
  resize();
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
  if (shown.redacted) {
    use();
    return;
  }
  run("redact", shown.files, "Removing private data from", ({ markdown, redacted }) => {
    Object.assign(shown, { markdown, redacted });
    use();
  });
}

async function copyForTracker() {
  const text = await shown.markdown.text();
  element("text").value = text;
  element("tracker").hidden = false;
  try {
    await navigator.clipboard.writeText(text);
    say("Copied. Review the text below before you share it.");
  } catch {
    element("text").focus();
    element("text").select();
    say("Copy the selected text, and review it before you share it.");
  }
}

const named = (file) => ({ blob: file, name: file.name, modified: file.lastModified });
const pasted = (text) => ({ blob: new Blob([text]), name: PASTED, modified: Date.now() });

element("ask").addEventListener("submit", (event) => {
  event.preventDefault();
  const text = element("log").value;
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
  if (files.length > 0) {
    event.preventDefault();
    diagnose(files.map(named));
  } else if (text.length > LONGEST_SHOWN) {
    event.preventDefault();
    element("log").value = `${text.slice(0, 2000)}\n… ${text.length} characters were pasted`;
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
element("redact").addEventListener("click", () => withRedacted(() => {
  save(shown.redacted, "redacted.log");
  say("Saved as redacted.log. Review it before you share it.");
}));
element("markdown").addEventListener("click", () => withRedacted(copyForTracker));
element("json").addEventListener("click", () => save(shown.json, "amdtriage.json"));
element("html").addEventListener("click", () => save(shown.html, "amdtriage.html"));

for (const kind of ["dragenter", "dragover"]) {
  addEventListener(kind, (event) => {
    event.preventDefault();
    document.body.classList.add("over");
  });
}
addEventListener("dragleave", (event) => {
  if (!event.relatedTarget) document.body.classList.remove("over");
});
addEventListener("drop", (event) => {
  event.preventDefault();
  document.body.classList.remove("over");
  const files = [...event.dataTransfer.files];
  const text = event.dataTransfer.getData("text/plain");
  if (files.length > 0) diagnose(files.map(named));
  else if (text !== "") diagnose([pasted(text)]);
});
