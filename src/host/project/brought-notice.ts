import { counted } from "../../base/format.js";
import type { Grants } from "../../core/approval/grants.js";

/** What the user should know of what came with the repository; `command` shows it. */
export async function broughtNotices(
    grants: Pick<Grants, "unconfirmed">,
    command: string
): Promise<readonly string[]> {
    const brought = (await grants.unconfirmed()).filter(({ isDeclined }) => !isDeclined);
    const notes = brought.filter(({ path }) => path.endsWith("memory.json")).length;
    const permissions = brought.length - notes;
    const parts = [
        ...(permissions > 0 ? [counted(permissions, "permission")] : []),
        ...(notes > 0 ? [counted(notes, "note")] : []),
    ];
    if (parts.length === 0) return [];
    const verb = brought.length === 1 ? "does" : "do";
    const them = brought.length === 1 ? "it" : "them";
    return [
        `This repository brings ${parts.join(" and ")}, which ${verb} not count: ${command} shows ${them}.`,
    ];
}
