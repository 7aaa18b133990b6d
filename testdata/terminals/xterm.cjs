// Says what xterm.js shows for streams of bytes. Reads a JSON object a line
// ({cols, rows, steps: [{data: base64} | {cols, rows}]}) and writes one for
// each: the screen, and the lines of scrollback and screen with wrapped rows
// joined; or {broken: true} where xterm.js threw. NODE_PATH names the folder of npm packages.
const { Terminal } = require("@xterm/headless");
const { Unicode11Addon } = require("@xterm/addon-unicode11");

// xterm.js throws some of its own faults from a timer.
let failed;
process.on("uncaughtException", (error) => (failed ? failed() : console.error(error)));

async function show({ cols, rows, steps }) {
  const terminal = new Terminal({ cols, rows, scrollback: 5000, logLevel: "off", allowProposedApi: true, reflowCursorLine: true });
  terminal.loadAddon(new Unicode11Addon());
  terminal.unicode.activeVersion = "11";
  let broken = false;
  for (const step of steps) {
    if (step.data === undefined) terminal.resize(step.cols, step.rows);
    else
      await new Promise((done) => {
        failed = () => done((broken = true));
        terminal.write(Buffer.from(step.data, "base64"), done);
      });
    if (broken) return { broken };
  }
  const { active, normal } = terminal.buffer;
  const screen = [];
  for (let y = 0; y < terminal.rows; y++) {
    screen.push(active.getLine(active.baseY + y).translateToString(true));
  }
  const lines = [];
  for (let y = 0; y < normal.length; y++) {
    const row = normal.getLine(y);
    const text = row.translateToString(true);
    if (row.isWrapped && lines.length) lines[lines.length - 1] += text;
    else lines.push(text);
  }
  terminal.dispose();
  return { screen, lines, x: active.cursorX, y: active.cursorY, alternate: active.type === "alternate" };
}

(async () => {
  const input = require("node:readline").createInterface({ input: process.stdin });
  for await (const line of input) console.log(JSON.stringify(await show(JSON.parse(line))));
})();
