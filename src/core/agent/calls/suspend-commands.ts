import { runsFile } from "../../approval/runs-file.js";
import type { Turn } from "../turn.js";
import type { Outlet } from "./relay.js";

/** What was allowed was allowed of the files as they were: the model has changed them since. */
export async function suspendCommandsOf(
    { grants, runGrants }: Pick<Turn, "grants" | "runGrants">,
    paths: readonly string[],
    outlet: Pick<Outlet, "tell">
): Promise<void> {
    const { allowedCommands } = await grants.snapshot();
    const { commands = [] } = runGrants;
    for (const allowed of new Set([...allowedCommands, ...commands])) {
        const changed = paths.find((path) => runsFile(allowed, path));
        if (changed === undefined) continue;
        runGrants.commands = runGrants.commands?.filter((other) => other !== allowed) ?? [];
        if (allowedCommands.includes(allowed)) await grants.suspendCommand(allowed);
        const text = `Asking again, because it runs ${changed}: ${allowed.command}`;
        outlet.tell({ type: "notice", text });
    }
}
