/**
 * Runs one command contained where a layout was planted, as whoever starts it. Reads what to run from
 * standard input; prints its output as JSON.
 */
import { readFileSync } from "node:fs";
import path from "node:path";
import { ContainedCommands } from "../../../src/host/project/contained-commands.js";
import { openWorkspace } from "../../../src/workspace/open-workspace.js";
import { openShell } from "../../../src/shell/open-shell.js";
import { PATIENCE_MS } from "../../helpers/patience.js";

export interface LayoutRun {
    readonly root: string;
    readonly home: string;
    /** Comes before the machine's own. */
    readonly searchPath: readonly string[];
    readonly command: string;
}

export interface LayoutResult {
    /** Set if North does not contain commands there. */
    readonly unavailable?: string;
    readonly output: string;
}

const { root, home, searchPath, command } = JSON.parse(readFileSync(0, "utf8")) as LayoutRun;
const environment = {
    PATH: [...searchPath, process.env.PATH].join(":"),
    HOME: home,
    TMPDIR: "/srv/tmp",
};
const shell = openShell({ root, withheldVariables: [], environment });
const commands = new ContainedCommands({
    root,
    directories: {
        config: path.join(home, ".config/north"),
        data: path.join(home, ".north"),
        state: path.join(home, ".local/state/north"),
    },
    environment,
    settings: { mode: "auto", show: [], hide: [], limits: {} },
    shell,
    workspace: openWorkspace({ root }),
});
const unavailable = await commands.unavailable();
let result: LayoutResult = { output: "", ...(unavailable === undefined ? {} : { unavailable }) };
if (unavailable === undefined) {
    const { outcome } = await commands.run(command, root, { timeoutMs: PATIENCE_MS });
    result = { output: outcome.stdout + outcome.stderr };
}
process.stdout.write(`${JSON.stringify(result)}\n`);
await Promise.all([shell.dispose(), commands.dispose()]);
process.exit();
