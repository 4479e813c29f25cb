// Drives the classic interface of a serena binary with the official TypeScript MCP SDK and checks exact values.
//
//   node tools.mjs BINARY PROJECT
//
// PROJECT is as for drive.mjs. Ends with status 0 and the line "N passed, 0 failed", or with the first difference on stderr.
import assert from "node:assert/strict";
import { access, readFile } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { binary, passed, patience, project, step } from "./steps.mjs";

const client = new Client({ name: "tools", version: "1" });

async function call(name, args = {}, options = patience) {
  const r = await client.callTool({ name, arguments: args }, undefined, options);
  assert.equal(r.content.length, 1);
  assert.equal(r.content[0].type, "text");
  return { text: r.content[0].text, failed: r.isError === true };
}

async function answers(name, args, text) {
  assert.deepEqual(await call(name, args), { text, failed: false });
}

async function answer(name, args) {
  const { text, failed } = await call(name, args);
  assert.equal(failed, false, text);
  return text;
}

try {
  await client.connect(new StdioClientTransport({
    command: binary, args: ["start-mcp-server", "--project", project], env: process.env, stderr: "inherit",
  }));

  await step("initialize", async () => {
    assert.equal(client.getServerVersion().name, "serena");
    assert.match(client.getInstructions(), /initial_instructions/);
    assert.doesNotMatch(client.getInstructions(), /serena_repl|session/);
    assert.equal(client.getServerCapabilities().tools.listChanged, true);
  });

  await step("tools/list", async () => {
    const { tools } = await client.listTools();
    const names = tools.map((t) => t.name);
    assert.deepEqual(names.slice(0, 2), ["initial_instructions", "activate_project"]);
    for (const name of ["find_symbol", "find_referencing_symbols", "get_symbols_overview", "replace_symbol_body", "read_file", "list_dir",
      "search_for_pattern", "replace_content", "replace_in_files", "write_memory", "execute_shell_command"]) assert.ok(names.includes(name), name);
    assert.ok(!names.includes("serena_repl"));
    const replace = tools.find((t) => t.name === "replace_content");
    assert.deepEqual(replace.annotations, { title: "Replace Content", readOnlyHint: false, destructiveHint: true });
    assert.deepEqual(Object.keys(replace.inputSchema.properties), ["relative_path", "needle", "repl", "mode", "allow_multiple_occurrences"]);
    assert.deepEqual(replace.inputSchema.required, ["relative_path", "needle", "repl", "mode"]);
    assert.deepEqual(replace.inputSchema.properties.mode.enum, ["literal", "regex"]);
    assert.equal(replace.inputSchema.properties.allow_multiple_occurrences.default, false);
    const read = tools.find((t) => t.name === "read_file");
    assert.deepEqual(read.annotations, { title: "Read File", readOnlyHint: true, destructiveHint: false });
    assert.deepEqual(read.inputSchema.properties.end_line.anyOf, [{ type: "integer" }, { type: "null" }]);
    for (const t of tools) {
      assert.ok(t.description.length > 40, t.name);
      for (const [name, p] of Object.entries(t.inputSchema.properties)) assert.ok(p.description, `${t.name}.${name}`);
    }
  });

  await step("initial_instructions", async () => assert.match(await answer("initial_instructions"), new RegExp(`^Active project: .*\\(${project}\\)`)));
  await step("read_file", () => answers("read_file", { relative_path: "notes.txt", start_line: 1, end_line: 1 }, "two\n"));
  await step("numbers as text", () => answers("read_file", { relative_path: "notes.txt", start_line: "1", end_line: "1" }, "two\n"));

  await step("list_dir", async () => assert.deepEqual(JSON.parse(await answer("list_dir", { relative_path: ".", recursive: true })),
    { dirs: ["box"], files: ["box/box.go", "box/use.go", "go.mod", "notes.txt"] }));

  await step("search_for_pattern", async () => assert.deepEqual(JSON.parse(await answer("search_for_pattern", { substring_pattern: "^t[hw]" })),
    { "notes.txt": ["  >   1:two", "  >   2:three"] }));

  await step("find_symbol", async () => {
    const found = JSON.parse(await answer("find_symbol", { name_path: "Basket/Add", include_body: true }));
    assert.equal(found.length, 1);
    assert.equal(found[0].name_path, "Basket/Add");
    assert.equal(found[0].relative_path, "box/box.go");
    assert.match(found[0].body, /^(\/\/ Add adds k\.\n)?func \(b \*Basket\) Add\(k int\) \{ b\.n \+= k \}$/);
  });

  await step("find_referencing_symbols", async () => {
    const text = await answer("find_referencing_symbols", { name_path: "Basket/Add", relative_path: "box/box.go" });
    assert.ok(text.includes("b.Add(1)") && text.includes("b.Add(2)") && text.includes("Fill"), text);
  });

  await step("edits", async () => {
    await answers("replace_content", { relative_path: "notes.txt", needle: "two", repl: "zwei", mode: "literal" }, "OK");
    assert.equal(await readFile(`${project}/notes.txt`, "utf8"), "one\nzwei\nthree\n");
    await answers("replace_symbol_body", { name_path: "Sum", relative_path: "box/box.go", body: "func Sum(b Basket) int { return b.n + 0 }" }, "OK");
    assert.match(await readFile(`${project}/box/box.go`, "utf8"), /\nfunc Sum\(b Basket\) int \{ return b\.n \+ 0 \}\n$/);
  });

  await step("edits sent at once run in their order", async () => {
    const change = (from, to) => call("replace_content", { relative_path: "notes.txt", needle: from, repl: to, mode: "literal" });
    for (const r of await Promise.all([change("zwei", "a"), change("\na\n", "\nab\n"), change("\nab\n", "\nabc\n")])) assert.deepEqual(r, { text: "OK", failed: false });
    assert.equal(await readFile(`${project}/notes.txt`, "utf8"), "one\nabc\nthree\n");
  });

  await step("memories", async () => {
    await answer("write_memory", { memory_name: "a", content: "note\n" });
    await answers("read_memory", { memory_name: "a" }, "note\n");
  });

  await step("execute_shell_command", async () => {
    const r = JSON.parse(await answer("execute_shell_command", { command: "printf out; printf err >&2; exit 3" }));
    assert.deepEqual([r.stdout, r.stderr, r.return_code], ["out", "err", 3]);
  });

  await step("errors carry kind, message and the nearest name", async () => {
    const missing = await call("read_file", { relative_path: "no.txt" });
    assert.equal(missing.failed, true);
    assert.match(missing.text, /^FileNotFoundError: .*no\.txt/);
    const wrong = await call("read_file", { relative_path: "notes.txt", start_lin: 1 });
    assert.equal(wrong.failed, true);
    assert.match(wrong.text, /did you mean "start_line"\?\nsignature: read_file\(relative_path: str, start_line: int = 0/);
    await assert.rejects(call("serena_repl", { session_id: "x", code: "1" }), /not found/);
  });

  await step("a cancelled call is stopped", async () => {
    const abort = new AbortController();
    const busy = call("execute_shell_command", { command: "touch running; sleep 100; touch over" }, { ...patience, signal: abort.signal });
    for (let i = 0; !(await access(`${project}/running`).then(() => true, () => false)); i++) {
      assert.ok(i < 1000, "the command never started");
      await wait(10);
    }
    abort.abort("enough");
    await assert.rejects(busy);
    await answers("replace_content", { relative_path: "notes.txt", needle: "abc", repl: "two", mode: "literal" }, "OK"); // waits for its end
    await assert.rejects(access(`${project}/over`));
  });

  console.log(`${passed} passed, 0 failed`);
} finally {
  await client.close();
}
