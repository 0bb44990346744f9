import path from "node:path";
import type { AllowedCommand, UnconfirmedGrant } from "../../plugin/index.js";
import { isFolder, leavesFolder } from "../../base/paths.js";
import { NorthError } from "../../base/north-error.js";
import type { GrantSnapshot } from "../../core/approval/grants.js";
import { warn } from "../warn.js";
import { unconfirmedGrantNotices } from "../project/project-notices.js";
import { openStores } from "../open-stores.js";
import { table } from "../table.js";

interface AllowlistReport extends GrantSnapshot {
    readonly unconfirmed: readonly UnconfirmedGrant[];
}

/** The allowlist of the repository around `folder`. */
export async function openAllowlist(dataFolder: string, folder: string) {
    const { root, grants } = await openStores(dataFolder, folder, { report: warn });
    return {
        async report(): Promise<AllowlistReport> {
            return { ...(await grants.snapshot()), unconfirmed: await grants.unconfirmed() };
        },
        /** `cwd` is relative to the root. */
        async add(command: string, cwd: string): Promise<AllowedCommand> {
            const allowed = { command, cwd: folderIn(root, cwd) };
            await grants.allowCommand(allowed);
            return allowed;
        },
        /** Removes a command, or a permission such as `host:registry.example`; rejects with `not-allowed`. */
        async remove(command: string): Promise<void> {
            const { allowedCommands, allowedKeys } = await grants.snapshot();
            if (allowedKeys.includes(command)) return void (await grants.removeKey(command));
            const meant = allowedCommands.filter((allowed) => allowed.command === command);
            if (meant.length === 0) {
                throw new NorthError("not-allowed", `"${command}" is not on the allowlist.`, [
                    "`north allowlist` shows what is.",
                ]);
            }
            for (const allowed of meant) await grants.removeCommand(allowed);
        },
        async clear(): Promise<number> {
            await grants.setAutomatic({ shellAutoApprove: false });
            return grants.clearCommands();
        },
    };
}

/** The relative path of a folder of the repository. Throws `invalid-usage` for any other. */
export function folderIn(root: string, cwd: string): string {
    const folder = path.resolve(root, cwd);
    const relative = path.relative(root, folder);
    if (!leavesFolder(relative) && isFolder(folder)) return relative;
    throw new NorthError("invalid-usage", `The repository has no folder ${cwd}.`, [
        "Pass --cwd a folder inside the repository, relative to its root.",
    ]);
}

export async function allowlistText(report: AllowlistReport): Promise<string> {
    const grants = { unconfirmed: async () => report.unconfirmed };
    const notices = await unconfirmedGrantNotices(grants, "`north trust`");
    const keys = report.allowedKeys.map((key) => [key]);
    const rows = report.allowedCommands.map(({ command, cwd }) => [command, cwd || "."]);
    return [
        rows.length > 0
            ? table(["Command", "In"], rows)
            : "No commands are on this project's allowlist.",
        keys.length > 0 && table(["Also allowed"], keys),
        report.shellAutoApprove &&
            "EVERY command runs without asking; `/auto commands off` ends that.",
        report.editsAutoAccept &&
            "Every edit is applied without asking; `/auto edits off` ends that.",
        ...notices,
    ]
        .filter(Boolean)
        .join("\n");
}
