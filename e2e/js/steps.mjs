// What the drivers share: their arguments, the patience of a call in milliseconds, and steps that are counted.
export const [binary, project] = process.argv.slice(2);
export const patience = { timeout: 120_000 };
export let passed = 0;

export async function step(name, check) {
  try {
    await check();
    passed++;
  } catch (e) {
    console.error(`${name}: ${e.stack ?? e}`);
    process.exitCode = 1;
    throw e;
  }
}
