// A mock of a server that serves skills (SEP-2640) over stdio, with the official SDK: the
// SDK speaks the protocol, and this file answers skills/list, skills/get and
// resources/read. The folder of the SDK is the first argument; the second is a JSON file
// that is read for each request: { skills: [{ uri, frontmatter, files: { path: text },
// dynamic, lie: { path: text }, unlisted }] }. A skill that lies sends other bytes than it
// lists; one that is unlisted is known by its URI only.
import { createHash } from 'node:crypto';
import { readFileSync, appendFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const sdk = pathToFileURL(process.argv[2]).href;
const { Server } = await import(sdk + '/dist/index.mjs');
const { serveStdio } = await import(sdk + '/dist/stdio.mjs');

const read = () => JSON.parse(readFileSync(process.argv[3], 'utf8')).skills;
const root = (skill) => skill.uri.slice(0, -'SKILL.md'.length);
const digest = (text) => 'sha256:' + createHash('sha256').update(text).digest('hex');
const entry = (skill) => ({
  uri: skill.uri,
  frontmatter: skill.frontmatter,
  resources: skill.dynamic ? 'dynamic' : Object.entries(skill.files).map(([path, text]) => ({ uri: root(skill) + path, digest: digest(text), size: Buffer.byteLength(text) })),
});
const asked = (method, uri = '') => process.argv[4] && appendFileSync(process.argv[4], method + ' ' + uri + '\n');
// A schema that takes anything (standardschema.dev).
const any = { '~standard': { version: 1, vendor: 'mock', validate: (value) => ({ value }) } };

serveStdio(() => {
  const server = new Server({ name: 'mock-skills', version: '1.0.0' }, { capabilities: { tools: {}, resources: {}, extensions: { 'io.modelcontextprotocol/skills': {} } } });
  server.setRequestHandler('tools/list', async () => ({ tools: [] }));
  server.setRequestHandler('resources/list', async () => ({ resources: [] }));
  server.setRequestHandler('resources/templates/list', async () => ({ resourceTemplates: [] }));
  server.setRequestHandler('resources/read', async (request) => {
    const { uri } = request.params;
    asked('resources/read', uri);
    for (const skill of read()) {
      const path = uri.startsWith(root(skill)) ? uri.slice(root(skill).length) : undefined;
      const text = skill.lie?.[path] ?? skill.files?.[path];
      if (text !== undefined) return { contents: [path.endsWith('.bin') ? { uri, blob: Buffer.from(text).toString('base64') } : { uri, text }] };
    }
    throw new Error('no such resource');
  });
  server.setRequestHandler('skills/list', { params: any, result: any }, async (params) => {
    asked('skills/list');
    const all = read().filter((skill) => !skill.unlisted);
    const from = Number(params?.cursor ?? 0);
    return { skills: all.slice(from, from + 2).map(entry), ttlMs: 60000, cacheScope: 'private', ...(from + 2 < all.length && { nextCursor: String(from + 2) }) };
  });
  server.setRequestHandler('skills/get', { params: any, result: any }, async (params) => {
    asked('skills/get', params.uri);
    const skill = read().find((skill) => skill.uri === params.uri);
    if (!skill) throw Object.assign(new Error('unknown skill'), { code: -32602 });
    return entry(skill);
  });
  return server;
});
