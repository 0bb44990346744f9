import type { CheckSetting } from "../../storage/config.js";
import type { Policy } from "../../storage/policy.js";
import { OWN_PLUGIN, type Owned, type Registry } from "../../core/registry/registry.js";
import type { Check, Workspace } from "../../plugin/index.js";
import type { ProjectNotes } from "../../storage/grants/grants.js";
import { hasRules, readRules } from "../../workspace/context/rules.js";
import { readGuidance } from "../../workspace/context/read-guidance.js";
import type { CheckedRule } from "./command-checks.js";

interface ProjectChecksOptions {
    readonly root: string;
    readonly checks?: readonly CheckSetting[] | undefined;
    readonly registry: Registry;
    readonly workspace: Workspace;
    readonly grants: ProjectNotes;
    readonly policy: Policy | undefined;
}

/** Returns a function that resolves with a turn's hooks, plugin checks and commands. */
export function projectChecks(
    options: ProjectChecksOptions
): () => Promise<readonly Owned<Check>[]> {
    const { root, checks: settings = [], registry, workspace } = options;
    // Cached: late findings are reported in later turns.
    let made: Promise<readonly Owned<Check>[]> | undefined;
    const commands = () => {
        if (settings.length === 0 && !hasRules(root)) return [];
        made ??= import("./command-checks.js").then(async ({ commandChecks }) =>
            commandChecks({
                ...{ ...options, settings },
                rules: await checkedRules(workspace),
            })
        );
        return made;
    };
    return async () => [
        ...(await deniedByPolicy(options)),
        ...(await currentHooks(options)),
        ...registry.checks,
        ...(await commands()),
    ];
}

async function deniedByPolicy({ root, policy }: ProjectChecksOptions) {
    if (policy === undefined || policy.deny.length === 0) return [];
    const { policyCheck } = await import("./policy-check.js");
    return [{ plugin: OWN_PLUGIN, value: policyCheck(policy, root) }];
}

async function currentHooks({ root, grants }: ProjectChecksOptions) {
    const hooks = await grants.hooks();
    if (hooks.length === 0) return [];
    const { hookCheck } = await import("./hook-check.js");
    return hooks.map((hook) => ({ plugin: OWN_PLUGIN, value: hookCheck(hook, root) }));
}

async function checkedRules(workspace: Workspace): Promise<readonly CheckedRule[]> {
    if (!hasRules(workspace.root)) return [];
    const guidance = (file: string, maxBytes: number) =>
        readGuidance({ workspace }, file, maxBytes);
    const rules = await readRules({ workspace, guidance });
    return rules.filter((rule): rule is CheckedRule => rule.check !== undefined);
}

/** The check commands of rules, for the user to decide whether they may run. */
export async function commandsOfRules(workspace: Workspace) {
    const rules = await checkedRules(workspace);
    return rules.map(({ path, check }) => ({ path, command: check }));
}
