import { OWN_PLUGIN, type Owned } from "../../core/registry/registry.js";
import type { Check } from "../../plugin/index.js";
import type { ProjectNotes } from "../../storage/grants/grants.js";
import { hooksIn } from "../../storage/hook-settings.js";

/** The user's hooks, and those of the repository that were allowed, each as a check. */
export async function currentHooks(
    { root, hooks: own }: { readonly root: string; readonly hooks: unknown },
    project: Pick<ProjectNotes, "hooks">
): Promise<readonly Owned<Check>[]> {
    const hooks = [...hooksIn(own), ...(await project.hooks())];
    if (hooks.length === 0) return [];
    const { hookCheck } = await import("./hook-check.js");
    return hooks.map((hook) => ({ plugin: OWN_PLUGIN, value: hookCheck(hook, root) }));
}
