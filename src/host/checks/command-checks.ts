import { OWN_PLUGIN, type Owned } from "../../core/registry/registry.js";
import type { Check, Workspace } from "../../plugin/index.js";
import type { CheckSetting } from "../../storage/config.js";
import type { ProjectNotes } from "../../storage/grants/grants.js";
import { compilePathGlob } from "../../workspace/listing/find.js";
import { CommandCheck, type CommandCheckOptions } from "./command-check.js";
import { checkedRules } from "./rule-commands.js";

const DEFAULT_SECONDS = 60;

export interface CommandChecksOptions extends Pick<CommandCheckOptions, "root" | "contained"> {
    readonly settings: readonly CheckSetting[];
    readonly workspace: Workspace;
    readonly grants: Pick<ProjectNotes, "allowsCheck">;
}

/** The checks of the settings, and those of the repository's rules that the user has allowed. */
export async function commandChecks(
    options: CommandChecksOptions
): Promise<readonly Owned<Check>[]> {
    const checks = [...(await settingChecks(options)), ...(await ruleChecks(options))];
    return checks.map((value) => ({ plugin: OWN_PLUGIN, value }));
}

function settingChecks({ settings, root, contained }: CommandChecksOptions) {
    return Promise.all(
        settings.map(async ({ run, files = "**", refuse = false, seconds = DEFAULT_SECONDS }) => {
            const matches = await compilePathGlob(files);
            const options = { command: run, refuses: refuse, seconds, matches };
            return new CommandCheck({ ...options, root, contained });
        })
    );
}

async function ruleChecks({ workspace, root, contained, grants }: CommandChecksOptions) {
    const rules = await checkedRules(workspace);
    return rules.map(({ check: command, always, matches }) => {
        const standard = { refuses: false, seconds: DEFAULT_SECONDS };
        const isAllowed = () => grants.allowsCheck(command);
        const isMeant = always ? () => true : matches;
        return new CommandCheck({
            command,
            matches: isMeant,
            ...standard,
            root,
            contained,
            isAllowed,
        });
    });
}
