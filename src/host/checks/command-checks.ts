import { OWN_PLUGIN, type Owned } from "../../core/registry/registry.js";
import type { Grants } from "../../core/approval/grants.js";
import type { Check, Workspace } from "../../plugin/index.js";
import type { CheckSetting } from "../../storage/config.js";
import { readCursorRules } from "../../workspace/context/cursor-rules.js";
import { readGuidance } from "../../workspace/context/read-guidance.js";
import { compilePathGlob } from "../../workspace/listing/find.js";
import { CommandCheck, type CommandCheckOptions } from "./command-check.js";

const DEFAULT_SECONDS = 60;

export interface CommandChecksOptions extends Pick<CommandCheckOptions, "root" | "contained"> {
    readonly settings: readonly CheckSetting[];
    readonly workspace: Workspace;
    readonly grants: Pick<Grants, "snapshot">;
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
    const guidance = (path: string, maxBytes: number) =>
        readGuidance({ workspace }, path, maxBytes);
    const rules = await readCursorRules({ workspace, guidance });
    return rules.flatMap(({ check: command, path, always, matches }) => {
        if (command === undefined) return [];
        const forbidden = async () => {
            const { allowedCommands } = await grants.snapshot();
            const isAllowed = allowedCommands.some(
                (allowed) => allowed.command === command && allowed.cwd === ""
            );
            return isAllowed
                ? undefined
                : `the rule ${path} brings it; \`north allowlist add\` allows it`;
        };
        const standard = { refuses: false, seconds: DEFAULT_SECONDS };
        const place = { root, contained, forbidden };
        const isMeant = always ? () => true : matches;
        return new CommandCheck({ command, matches: isMeant, ...standard, ...place });
    });
}
