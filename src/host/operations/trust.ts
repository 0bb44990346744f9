import type { UnconfirmedGrant } from "../../plugin/index.js";
import { NorthError } from "../../base/north-error.js";
import { sha256 } from "../../base/sha256.js";
import { warn } from "../warn.js";
import { readConfig } from "../../storage/config.js";
import type { NorthDirectories } from "../../storage/files/directories.js";
import { readHooks } from "../../storage/hook-settings.js";
import { storesOf } from "../open-stores.js";
import { findRoot } from "../../workspace/find-root.js";
import { openWorkspace } from "../../workspace/open-workspace.js";
import { commandsOfRules } from "../checks/project-checks.js";
import { table } from "../table.js";

/** Lists what the repository around `folder` brings, and allows or denies it. */
export async function openTrust({ data: dataFolder, config }: NorthDirectories, folder: string) {
    const place = await findRoot(folder);
    const { hooks } = readHooks((await readConfig(config)).hooks);
    const workspace = openWorkspace(place);
    const ruleCommands = () => commandsOfRules(workspace);
    const { grants } = storesOf(dataFolder, place, { report: warn, ruleCommands, hooks });
    const list = async () =>
        (await grants.unconfirmed()).map((grant) => ({ ...grant, id: shortId(grant) }));
    const decide = async (id: string, decision: "confirm" | "decline") => {
        const grant = (await grants.unconfirmed()).find((each) => shortId(each) === id);
        if (!grant) {
            throw new NorthError("not-found", `This repository has no item ${id}.`, [
                "`north trust` lists its items.",
            ]);
        }
        await grants[decision](grant);
        return { ...grant, id };
    };
    return {
        list,
        allow: (id: string) => decide(id, "confirm"),
        deny: (id: string) => decide(id, "decline"),
    };
}

export function trustText(unconfirmed: readonly UnconfirmedGrant[]): string {
    if (unconfirmed.length === 0) return "Nothing in this repository needs your permission.";
    const rows = unconfirmed.map(({ id, text, path, isDeclined }) => [
        id,
        isDeclined ? "denied" : "undecided",
        path,
        text,
    ]);
    return table(["Id", "State", "File", "Would"], rows);
}

/** Identifies what is granted: a changed text gets another id. */
function shortId({ id }: UnconfirmedGrant): string {
    return sha256(id).slice(0, 12);
}
