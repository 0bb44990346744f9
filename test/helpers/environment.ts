/**
 * Sets the environment back to what it was. A new object in place of `process.env` would not do:
 * Node reads some variables, such as TMPDIR, from the process itself.
 */
export function restoreEnvironment(before: Readonly<NodeJS.ProcessEnv>): void {
    for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
    Object.assign(process.env, before);
}
