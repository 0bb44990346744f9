import { isFields } from "../../../base/fields.js";
import type { ShellPlan, ToolResult } from "../../../plugin/index.js";
import type { ExecuteTool } from "./contained-result.js";
import type { RunningCall } from "./running-call.js";

/** Notes which tree a command checked, if only checks ran and nothing changed meanwhile. */
export async function onKnownTree(
    { turn: { project, conversation }, noteTested }: RunningCall,
    { command, cwd, background }: ShellPlan,
    execute: ExecuteTool,
    run: (execute: ExecuteTool) => Promise<ToolResult>
): Promise<ToolResult> {
    const { gitTree, draft, readChecks } = project;
    const isDrafted = draft !== undefined && conversation.state.draft.view.size > 0;
    if (!gitTree || isDrafted || background) return run(execute);
    const { checks, hasOthers } = await readChecks(command, cwd);
    const names = checks.flatMap(({ name, decides }) => (decides ? name : []));
    if (hasOthers || names.length === 0) return run(execute);
    let tree: string | undefined;
    const result = await run(async (shell) => {
        const before = await gitTree();
        const ran = await execute(shell);
        const after = before && (await gitTree());
        tree = before === after ? before : undefined;
        return ran;
    });
    if (tree === undefined || !result.ok || !isFields(result.data)) return result;
    const { exitCode, timedOut, effects } = result.data;
    // What a check changed itself may be what it judged.
    const isWhole = typeof exitCode === "number" && timedOut !== true && effects === undefined;
    if (isWhole) noteTested({ tree, checks: names, exitCode });
    return result;
}
