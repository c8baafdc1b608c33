// How long the page takes for logs, against the program on the command line.
//
//     AMDTRIAGE=/path/of/amdtriage PAGE=/path/of/index.html node test/time.mjs FILE...

import { spawnSync } from "node:child_process";
import { statSync } from "node:fs";
import { basename, resolve } from "node:path";
import { pathToFileURL } from "node:url";

import { chromium } from "playwright-core";

const RUNS = 3;
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-dev-shm-usage"],
});
const page = await browser.newPage();
await page.goto(pathToFileURL(resolve(process.env.PAGE)).href);

const seconds = (times) => (Math.min(...times) / 1000).toFixed(2);

for (const path of process.argv.slice(2)) {
  const [web, native] = [[], []];
  for (let run = 0; run < RUNS; run += 1) {
    await page.evaluate(() => {
      document.getElementById("status").textContent = "";
      document.getElementById("files").addEventListener("change", () => { window.began = performance.now(); }, { capture: true, once: true });
    });
    await page.setInputFiles("#files", path);
    await page.waitForFunction(() => document.getElementById("status").textContent === "The report is ready.", null, { timeout: 300000 });
    web.push(await page.evaluate(() => performance.now() - window.began));
    const began = performance.now();
    spawnSync(process.env.AMDTRIAGE, ["--format", "html", path], { maxBuffer: 1 << 30 });
    spawnSync(process.env.AMDTRIAGE, ["--format", "json", path], { maxBuffer: 1 << 30 });
    native.push(performance.now() - began);
  }
  const size = (statSync(path).size / 1e6).toFixed(0);
  console.log(`${basename(path)}: ${size} MB, page ${seconds(web)} s, program ${seconds(native)} s (HTML and JSON)`);
}
await browser.close();
