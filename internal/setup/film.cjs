// Drives an editor in a browser through a session of docs/debugging.md, for film.sh.
const puppeteer = require("puppeteer-core");
const [, , executablePath, address, folder, to] = process.argv;
const moment = ms => new Promise(done => setTimeout(done, ms));

(async () => {
  const browser = await puppeteer.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"], defaultViewport: { width: 1200, height: 720 } });
  const page = await browser.newPage();
  const open = [["openFile", "vscode-remote://" + new URL(address).host + folder + "/counter.c"]];
  for (let times = 0; times < 2; times++) { // the editor finds a new extension at its first start, and has it at its second
    await page.goto(`${address}?folder=${folder}&payload=${encodeURIComponent(JSON.stringify(open))}`);
    await page.waitForSelector(".monaco-editor .view-line", { timeout: 90000 });
    await moment(9000);
  }

  const console_ = async text => {
    await page.click(".repl-input-wrapper");
    await page.keyboard.type(text, { delay: 15 });
    await page.keyboard.press("Enter");
    await moment(2000);
  };
  const press = async button => {
    await page.click(`.debug-toolbar .codicon-debug-${button}`);
    await moment(4000);
  };
  const picture = name => page.screenshot({ path: `${to}/${name}.png` });

  await page.keyboard.press("F5");
  await page.waitForSelector(".debug-toolbar .codicon-debug-reverse-continue", { timeout: 60000 }).catch(async err => {
    await picture("debug-failed");
    throw err;
  });
  await moment(5000);
  await picture("debug-end");
  await console_("watch sum");
  await press("reverse-continue");
  await console_("print sum");
  await picture("debug-back");
  await press("step-back");
  await console_("monitor lanes");
  await picture("debug-lanes");
  await browser.close();
})().catch(err => {
  console.error("film: " + err);
  process.exit(1);
});
