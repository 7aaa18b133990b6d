// The conformance suite imports globSync from fs, which Node has since version
// 22, for a command that we do not use. This lends it to older ones:
// node --import node20.mjs SUITE
import { register } from 'node:module'

const fs = "data:text/javascript,export * from 'node:fs'; export const globSync = () => []"
const hook = `export const resolve = (name, context, next) =>
	name === 'fs' && context.parentURL?.includes('/@modelcontextprotocol/conformance/')
		? { url: ${JSON.stringify(fs)}, shortCircuit: true } : next(name, context)`
register('data:text/javascript,' + encodeURIComponent(hook))
