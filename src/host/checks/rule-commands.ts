import { existsSync } from "node:fs";
import path from "node:path";
import type { Workspace } from "../../plugin/index.js";
import {
    type CursorRule,
    readCursorRules,
    RULES_FOLDER,
} from "../../workspace/context/cursor-rules.js";
import { readGuidance } from "../../workspace/context/read-guidance.js";

/** A rule of the repository that brings a command by which changes are checked. */
export type CheckedRule = CursorRule & { readonly check: string };

export async function checkedRules(workspace: Workspace): Promise<readonly CheckedRule[]> {
    if (!existsSync(path.join(workspace.root, RULES_FOLDER))) return [];
    const guidance = (file: string, maxBytes: number) =>
        readGuidance({ workspace }, file, maxBytes);
    const rules = await readCursorRules({ workspace, guidance });
    return rules.filter((rule): rule is CheckedRule => rule.check !== undefined);
}

/** The same for a person who decides whether they may run. */
export async function commandsOfRules(workspace: Workspace) {
    const rules = await checkedRules(workspace);
    return rules.map(({ path: rule, check }) => ({
        path: `${RULES_FOLDER}/${rule}`,
        command: check,
    }));
}
