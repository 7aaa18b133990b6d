// Written by "ctxfs setup opencode"; "ctxfs setup --undo opencode" takes it away again.
// It hands what happens in a session to "ctxfs hook opencode", and what that answers to the
// model. Whatever goes wrong there, opencode goes on as if it were not here.
import { spawn } from "node:child_process"

const program = "ctxfs"
const patience = 2000 // milliseconds; it answers within 1000 or not at all
const largest = 4 << 20 // characters of an output

function ask(event, input) {
  return new Promise((resolve) => {
    let out = ""
    const end = () => {
      try {
        resolve(JSON.parse(out) ?? {})
      } catch {
        resolve({})
      }
    }
    try {
      const child = spawn(program, ["hook", "opencode", event], { stdio: ["pipe", "pipe", "ignore"], timeout: patience })
      child.on("error", () => resolve({}))
      child.on("close", end)
      child.stdout.setEncoding("utf8").on("data", (part) => (out += part))
      child.stdin.on("error", () => {})
      child.stdin.end(JSON.stringify({ hook_event_name: event, ...input }))
    } catch {
      resolve({})
    }
  })
}

export const Ctxfs = async ({ directory }) => {
  const edits = new Set(["edit", "write", "patch", "multiedit", "apply_patch"])
  const reads = new Set(["read", "edit", "write", "todowrite", "todoread"])
  let servers = []
  // A tool of an MCP server is called SERVER_TOOL.
  const serverOf = (tool) =>
    servers.filter((name) => tool.startsWith(name + "_")).sort((a, b) => b.length - a.length)[0] ?? tool.split("_")[0]
  return {
    config: async (config) => {
      servers = Object.keys(config?.mcp ?? {}).map((name) => name.replace(/[^a-zA-Z0-9_-]/g, "_"))
    },
    "chat.message": async ({ sessionID }, { message, parts }) => {
      const own = parts.filter((part) => part.type === "text" && !part.synthetic)
      const prompt = own.map((part) => part.text).join("\n").slice(0, largest)
      const { context } = await ask("chat.message", { session_id: sessionID, cwd: directory, prompt })
      if (!context || own.length === 0) return
      const last = parts[parts.length - 1]
      parts.push({ id: last.id + "0", sessionID, messageID: message.id, type: "text", text: context, synthetic: true })
    },
    "tool.execute.before": async ({ tool, sessionID, callID }, { args }) => {
      if (!edits.has(tool)) return
      const { deny } = await ask("tool.execute.before", { session_id: sessionID, cwd: directory, tool_name: tool, tool_use_id: callID, tool_input: args })
      if (deny) throw new Error(deny)
    },
    "tool.execute.after": async ({ tool, sessionID, callID, args }, output) => {
      const mcp = Array.isArray(output?.content) // the result of an MCP tool
      if (mcp && output.content.some((block) => block?.type !== "text")) return
      const text = mcp ? output.content.map((block) => block.text).join("\n") : output?.output
      if ((!mcp && reads.has(tool)) || typeof text !== "string" || text.length > largest) return
      const server = mcp ? serverOf(tool) : undefined
      const answer = await ask("tool.execute.after", {
        session_id: sessionID, cwd: directory, tool_name: (server && tool.slice(server.length + 1)) || tool, tool_use_id: callID, tool_input: args, tool_response: text,
        exit_code: output.metadata?.exit ?? undefined, mcp_server_name: server, success: output.isError ? false : undefined,
      })
      if (mcp) {
        if (typeof answer.output === "string") output.content = [{ type: "text", text: answer.output }]
        if (answer.context) output.content.push({ type: "text", text: answer.context })
        return
      }
      if (typeof answer.output === "string") output.output = answer.output
      if (answer.context) output.output += "\n\n" + answer.context
    },
    "experimental.session.compacting": async ({ sessionID }, output) => {
      const { context } = await ask("experimental.session.compacting", { session_id: sessionID, cwd: directory })
      if (context) output.context.push(context)
    },
  }
}
