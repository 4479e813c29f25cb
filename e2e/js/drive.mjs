// Drives a serena binary with the official TypeScript MCP SDK and checks exact values.
//
//   node drive.mjs BINARY PROJECT
//
// PROJECT is the folder that the Go test made (see project_test.go): a Go module with box/box.go and notes.txt. Ends with
// status 0 and the line "N passed, 0 failed", or with the first difference on stderr.
import assert from "node:assert/strict";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { binary, passed, patience, project, step } from "./steps.mjs";

const transport = new StdioClientTransport({
  command: binary,
  args: ["start-mcp-server", "--project", project, "--agent-interface", "REPL"],
  env: process.env,
  stderr: "inherit",
});
const client = new Client({ name: "drive", version: "1" });
let session;

async function cell(code, options = patience) {
  const r = await client.callTool({ name: "serena_repl", arguments: { session_id: session, code } }, undefined, options);
  for (const c of r.content) assert.equal(c.type, "text");
  return { texts: r.content.map((c) => c.text), failed: r.isError === true };
}

async function gives(code, ...texts) {
  assert.deepEqual(await cell(code), { texts, failed: false });
}

try {
  await client.connect(transport);

  await step("initialize", async () => {
    assert.equal(client.getServerVersion().name, "serena");
    assert.match(client.getInstructions(), /initial_instructions/);
    assert.match(client.getInstructions(), /serena_repl\(session_id, code\)/);
    assert.ok(client.getServerCapabilities().tools);
  });

  await step("tools/list", async () => {
    const { tools } = await client.listTools();
    assert.deepEqual(tools.map((t) => t.name).sort(), ["activate_project", "initial_instructions", "serena_repl"]);
    const repl = tools.find((t) => t.name === "serena_repl");
    assert.deepEqual(Object.keys(repl.inputSchema.properties), ["session_id", "code"]);
    assert.deepEqual(repl.inputSchema.required, ["session_id", "code"]);
    assert.match(repl.description, /find_symbol -> LspSymbolCollection/);
    const activate = tools.find((t) => t.name === "activate_project");
    assert.deepEqual(Object.keys(activate.inputSchema.properties), ["project", "session_id"]);
    assert.deepEqual(activate.inputSchema.required, ["project"]);
    assert.equal(activate.inputSchema.properties.session_id.default, null);
    assert.deepEqual(tools.find((t) => t.name === "initial_instructions").inputSchema.required ?? [], []);
  });

  await step("initial_instructions gives a session", async () => {
    const r = await client.callTool({ name: "initial_instructions", arguments: {} });
    session = /^session_id: (\S+)$/m.exec(r.content[0].text)[1];
    assert.match(r.content[0].text, new RegExp(`Active project: .*\\(${project}\\)`));
  });

  await step("a value", () => gives("1+1", "2"));
  await step("nothing to say", () => gives("x = 20"));
  await step("state persists", () => gives("x + 22", "42"));
  await step("printed output stands before the value", () => gives("print('hello')\n'é😀'", "stdout:\nhello\n", "é😀"));
  await step("a list is shown element by element", () => gives('["a", "b"]', "a\nb"));
  await step("await at top level", () => gives("import asyncio\nawait asyncio.sleep(0, 'slept')", "slept"));

  await step("read_file", async () => {
    await gives('s.fs.read_file("notes.txt")', "one\ntwo\nthree\n");
    await gives('s.fs.read_file("notes.txt", 1, 1).lines', "two");
    await gives("sum(len(l) for l in s.fs.read_file('notes.txt').lines)", "11");
  });

  await step("list_dir", () =>
    gives('d = s.fs.list_dir("", recursive=True)\nstr(sorted(d.dirs)) + str(sorted(d.files))', "['box']['box/box.go', 'box/use.go', 'go.mod', 'notes.txt']"));

  await step("search_for_pattern", () =>
    gives("[(m.source_file_path, l.line_number, l.line_content) for m in s.fs.search_for_pattern(r'^t[hw]').matches for l in m.matched_lines]",
      "('notes.txt', 1, 'two')\n('notes.txt', 2, 'three')"));

  await step("find_symbol", () =>
    gives('[(x.name, x.name_path, x.relative_path, x.start_line, x.end_line) for x in s.lsp.find_symbol("Basket/Add")]',
      "('Add', 'Basket/Add', 'box/box.go', 6, 6)"));

  await step("get_symbols_overview", () =>
    gives('[x.name for x in s.lsp.get_symbols_overview("box/box.go")]', "Basket\nSum"));

  await step("find_referencing_symbols", () =>
    gives('[(r.symbol.name_path, r.relative_path, r.line) for r in s.lsp.find_referencing_symbols("Basket/Add", "box/box.go")]',
      "('Fill', 'box/use.go', 3)\n('Fill', 'box/use.go', 4)"));

  await step("replace_content", async () => {
    await gives('s.edit.replace_content("notes.txt", "two", "zwei", "literal")', "OK");
    await gives('s.fs.read_file("notes.txt").text', "one\nzwei\nthree\n");
  });

  await step("replace_symbol_body", async () => {
    await gives('s.edit.replace_symbol_body("Sum", "box/box.go", "func Sum(b Basket) int { return b.n + 0 }")', "OK");
    await gives('s.lsp.find_symbol("Sum", include_body=True)[0].body', "func Sum(b Basket) int { return b.n + 0 }");
  });

  await step("execute_shell_command", () =>
    gives('r = s.shell.execute_shell_command("printf out; printf err >&2; exit 3")\n(r.stdout, r.stderr, r.return_code, r.timed_out)',
      "('out', 'err', 3, False)"));

  await step("info in tiers", async () => {
    const tier0 = (await cell("s.info()")).texts[0];
    for (const name of ["s.lsp", "s.edit", "s.fs", "s.shell", "replace_symbol_body", "search_for_pattern -> PatternMatches"]) assert.ok(tier0.includes(name), name);
    const tier1 = (await cell('s.info("lsp")')).texts[0];
    assert.ok(tier1.includes("lsp.find_symbol(name_path_pattern: str, depth: int = 0, relative_path: str = \"\", include_body: bool = False"), tier1);
    const tier2 = (await cell('s.info("lsp.find_symbol")')).texts[0];
    assert.ok(tier2.includes("-> LspSymbolCollection"), tier2);
  });

  await step("an error carries type, message and the failing line", async () => {
    const r = await cell("a = 1\nb = a / 0");
    assert.equal(r.failed, true);
    assert.equal(r.texts.length, 1);
    assert.match(r.texts[0], /ZeroDivisionError: division by zero/);
    assert.match(r.texts[0], /line 2[\s\S]*b = a \/ 0/);
    await gives("a", "1");
  });

  await step("a top-level return gets a hint", async () => {
    const r = await cell("y = 1\nreturn y");
    assert.equal(r.failed, true);
    assert.match(r.texts.at(-1), /SyntaxError/);
    assert.match(r.texts.at(-1), /return y/);
    assert.match(r.texts.at(-1), /expression/);
  });

  await step("a wrong argument name shows the signature and the nearest name", async () => {
    const r = await cell('s.fs.read_file("notes.txt", start_lin=1)');
    assert.equal(r.failed, true);
    assert.match(r.texts.at(-1), /read_file\(relative_path: str, start_line: int = 0, end_line: int \| None = None/);
    assert.match(r.texts.at(-1), /did you mean ["'`]?start_line/);
  });

  await step("a path outside is refused", async () => {
    const r = await cell('s.fs.read_file("../secret.txt")');
    assert.equal(r.failed, true);
    assert.match(r.texts.at(-1), /outside|inside the project/);
  });

  await step("an unknown id is a new session", async () => {
    const r = await client.callTool({ name: "serena_repl", arguments: { session_id: "never-seen", code: "x" } });
    assert.equal(r.isError, true);
    assert.match(r.content.at(-1).text, /NameError: name 'x' is not defined/);
    await gives("x", "20");
  });

  await step("a cancelled cell is interrupted and the session goes on", async () => {
    const abort = new AbortController();
    const marker = `${project}/running`;
    const busy = client.callTool(
      { name: "serena_repl", arguments: { session_id: session, code: `open(${JSON.stringify(marker)}, "w").close()\nwhile True: pass` } },
      undefined, { ...patience, signal: abort.signal });
    const { access } = await import("node:fs/promises");
    const { setTimeout: wait } = await import("node:timers/promises");
    for (let i = 0; ; i++) {
      if (await access(marker).then(() => true, () => false)) break;
      assert.ok(i < 1000, "the cell never started");
      await wait(10);
    }
    abort.abort("enough");
    await assert.rejects(busy);
    await gives("x + 1", "21");
  });

  console.log(`${passed} passed, 0 failed`);
} finally {
  await client.close();
}
