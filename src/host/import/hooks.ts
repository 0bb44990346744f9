import { isFields } from "../../base/fields.js";
import { readHooks } from "../../storage/hook-settings.js";
import { type ForeignFile, OTHER_PROTOCOL } from "./foreign-setting.js";

/** Takes hooks in Claude Code's format, each group that North would run as it is. */
export function takeHooks(file: ForeignFile, hooks: unknown): void {
    if (hooks === undefined) return;
    if (!isFields(hooks)) {
        file.leave("hooks", OTHER_PROTOCOL);
        return;
    }
    for (const [event, groups] of Object.entries(hooks)) {
        for (const [index, group] of (Array.isArray(groups) ? groups : [groups]).entries()) {
            const what = `hooks.${event}[${index}]`;
            const [problem] = readHooks({ [event]: [group] }).problems;
            if (problem !== undefined || !isFields(group)) {
                // Without the place, which the setting's name says.
                const reason = (problem ?? "it is not an object").replace(/^[^:]*: /, "");
                file.leave(what, reason);
            } else {
                file.take(what, { kind: "hook", event, group });
            }
        }
    }
}
