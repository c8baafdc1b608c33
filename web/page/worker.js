"use strict";
// Runs the program: hands it files piece by piece and collects what it writes.

const PIECE = 1 << 20;
const PAUSE_MS = 100;

let files = [];
let total = 0;
let done = 0;
let told = 0;
let chunks = [];
let logs = [];
let current = 0;
let memory;

const bytesAt = (from, length) => new Uint8Array(memory.buffer, from >>> 0, length >>> 0);
const textAt = (from, length) => new TextDecoder().decode(bytesAt(from, length).slice());

const imports = {
  page: {
    rewind(file) {
      files[file].at = 0;
      files[file].piece = new Uint8Array(0);
      files[file].used = 0;
    },
    read(file, to, length) {
      const source = files[file];
      if (source.used === source.piece.length) {
        try {
          const slice = source.blob.slice(source.at, source.at + PIECE);
          source.piece = new Uint8Array(new FileReaderSync().readAsArrayBuffer(slice));
        } catch {
          return -1;
        }
        source.used = 0;
        source.at += source.piece.length;
        done += source.piece.length;
        const now = Date.now();
        if (now - told >= PAUSE_MS) {
          told = now;
          postMessage({ progress: total === 0 ? 1 : Math.min(1, done / total), name: source.name });
        }
      }
      const part = source.piece.subarray(source.used, source.used + (length >>> 0));
      bytesAt(to, part.length).set(part);
      source.used += part.length;
      return part.length;
    },
    write(from, length) {
      chunks.push(bytesAt(from, length).slice());
    },
    end_log() {
      logs.push({ blob: taken("text/plain"), modified: files[current].modified });
    },
    say(from, length) {
      postMessage({ said: textAt(from, length) });
    },
  },
};

function name(program, text) {
  const bytes = new TextEncoder().encode(text);
  const to = program.name(bytes.length);
  bytesAt(to, bytes.length).set(bytes);
}

function taken(type) {
  const blob = new Blob(chunks, { type });
  chunks = [];
  return blob;
}

function triage(program, list) {
  files = list;
  list.forEach((file, index) => {
    name(program, file.name);
    const offset = -60 * new Date(file.modified).getTimezoneOffset();
    program.triage(index, BigInt(Math.trunc(file.modified)), offset);
  });
}

function report(program, form, type) {
  program.report(form);
  return taken(type);
}

// Each log without private data, under a name that tells nothing; nothing where that cannot be.
function redacted(program, list) {
  files = list;
  const readable = [];
  for (let index = 0; index < list.length; index += 1) {
    name(program, list[index].name);
    const outcome = program.learn(index);
    if (outcome === 0) return null;
    if (outcome === 2) postMessage({ said: `${list[index].name} is not a log and was left out.` });
    else readable.push(index);
  }
  logs = [];
  for (current of readable) {
    name(program, list[current].name);
    if (!program.redact(current)) return null;
  }
  const clean = logs.map((log, index) => ({
    ...log,
    name: logs.length === 1 ? "redacted.log" : `redacted-${index + 1}.log`,
  }));
  total += 2 * clean.reduce((sum, file) => sum + file.blob.size, 0);
  files = clean;
  for (let index = 0; index < clean.length; index += 1) {
    if (!program.look_again(index)) return null;
  }
  program.tell_excess();
  return clean;
}

// One behind the other, each from a line of its own on.
function joined(clean) {
  const parts = clean.flatMap((file, index) => {
    const last = new Uint8Array(new FileReaderSync().readAsArrayBuffer(file.blob.slice(-1)));
    const whole = index + 1 === clean.length || last.length === 0 || last[0] === 10;
    return whole ? [file.blob] : [file.blob, "\n"];
  });
  return new Blob(parts, { type: "text/plain" });
}

onmessage = async ({ data }) => {
  try {
    const instance = await WebAssembly.instantiate(data.module, imports);
    const program = instance.exports;
    memory = program.memory;
    program.begin();
    const size = data.files.reduce((sum, file) => sum + file.blob.size, 0);
    if (data.task === "triage") {
      total = size;
      triage(program, data.files);
      if (!program.has_logs()) {
        postMessage({ failed: "No log was read." });
        return;
      }
      const html = report(program, 1, "text/html");
      postMessage({ html, json: report(program, 0, "application/json") });
      return;
    }
    // To learn what is private, and to write; what is written is looked at again, and reported on.
    total = 2 * size;
    const clean = redacted(program, data.files);
    if (clean === null || clean.length === 0) {
      postMessage({ failed: "The log was not redacted." });
      return;
    }
    triage(program, clean);
    postMessage({ markdown: report(program, 2, "text/plain"), redacted: joined(clean) });
  } catch (error) {
    postMessage({ failed: `The log could not be processed: ${error.message}` });
  }
};
