// Has a gateway of ctxfs start two agents, through the official SDK, and prints what it got
// as one JSON object. The second agent may end when progress has told of the first.
//
// node agents.mjs MODULES COMMAND FOLDER

import { writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [modules, command, folder] = process.argv.slice(2);
const load = (path) => import(pathToFileURL(`${modules}/@modelcontextprotocol/sdk/dist/esm/client/${path}.js`));
const [{ Client }, { StdioClientTransport }] = await Promise.all([load("index"), load("stdio")]);
const client = new Client({ name: "architect", version: "1" });
await client.connect(new StdioClientTransport({ command, args: ["serve"], env: process.env, stderr: "inherit" }));

const text = async (name, args, how) => (await client.callTool({ name, arguments: args }, undefined, how)).content[0].text;
const got = { tools: (await client.listTools()).tools, progress: [] };
const ids = [];
for (const prompt of ["first", "second"]) {
  ids.push((await text("agent_run", { agent: "answers", prompt, repoDir: folder })).split(" ")[0]);
}
got.waited = await text("agent_wait", { ids }, {
  onprogress: (p) => {
    got.progress.push(p);
    writeFileSync(`${folder}/go`, "");
  },
});
got.result = JSON.parse(await text("agent_result", { id: ids[0] }));
await client.close();
console.log(JSON.stringify(got));
