// Uses a gateway of ctxfs as an agent would, through the official SDK, and
// prints what it got as one JSON object.
//
// node client.mjs MODULES v1|v2 legacy|modern URL|COMMAND
//
// v1 is @modelcontextprotocol/sdk, which speaks the legacy versions; v2 is
// @modelcontextprotocol/client, which speaks both.

import { pathToFileURL } from "node:url";

const [modules, sdk, era, at] = process.argv.slice(2);
const load = (path) => import(pathToFileURL(`${modules}/@modelcontextprotocol/${path}`));
const files =
  sdk === "v1"
    ? ["sdk/dist/esm/client/index.js", "sdk/dist/esm/client/stdio.js", "sdk/dist/esm/client/streamableHttp.js"]
    : ["client/dist/index.mjs", "client/dist/stdio.mjs", "client/dist/index.mjs"];
const [{ Client }, { StdioClientTransport }, { StreamableHTTPClientTransport }] = await Promise.all(files.map(load));

const options = era === "modern" ? { versionNegotiation: { mode: { pin: "2026-07-28" } } } : {};
options.capabilities = { elicitation: { form: {}, url: {} } };
const client = new Client({ name: "tester-" + sdk, version: "1" }, options);
const elicit = sdk === "v1" ? (await load("sdk/dist/esm/types.js")).ElicitRequestSchema : "elicitation/create";
client.setRequestHandler(elicit, async ({ params }) => (params.mode === "url" ? { action: "decline" } : { action: "accept", content: { name: "Ann" } }));
const transport = at.startsWith("http:")
  ? new StreamableHTTPClientTransport(new URL(at))
  : new StdioClientTransport({ command: at, args: ["serve"], env: process.env, stderr: "inherit" });
await client.connect(transport);

const call = (name, args, how) =>
  sdk === "v1" ? client.callTool({ name, arguments: args }, undefined, how) : client.callTool({ name, arguments: args }, how);
const tool = (name, args, how) => call("call", { server: "everything", tool: name, arguments: args }, how);

const got = { instructions: client.getInstructions() };
got.tools = (await client.listTools()).tools;
got.find = await call("find", { query: "echo a message back" });
got.list = await call("list", { path: "mcps/everything" });
got.read = await call("read", { path: "mcps/everything/tools/echo.json" });
got.echo = await tool("echo", { message: "hello" });
got.structured = await tool("get-structured-content", { location: "Chicago" });
got.image = await tool("get-tiny-image", {});
got.wrong = await tool("get-sum", { a: "one" });
got.unknown = await tool("ecko", {});
got.form = await tool("trigger-elicitation-request", {});
got.address = await tool("trigger-url-elicitation", { url: "https://example.com/login" });
got.progress = [];
got.long = await tool("trigger-long-running-operation", { duration: 0.9, steps: 3 }, { onprogress: (p) => got.progress.push(p) });
const cancel = new AbortController();
try {
  await tool(
    "trigger-long-running-operation",
    { duration: 60, steps: 600 },
    { signal: cancel.signal, onprogress: () => cancel.abort("enough") },
  );
  got.cancelled = "no";
} catch (e) {
  got.cancelled = "yes: " + e;
}
await client.close();
console.log(JSON.stringify(got));
