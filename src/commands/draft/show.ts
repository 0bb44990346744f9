import { exactUnlessTerminal } from "../../base/safe-text.js";
import { changesText } from "../../chat/printed-text.js";
import { BaseCommand } from "../../host/command-line/base-command.js";
import { conversationArgument, pathFlag, textFlag } from "../../host/command-line/flags.js";
import { readDraft } from "../../host/operations/open-drafts.js";
import { writePatch } from "../../host/operations/printed-draft.js";

export default class DraftShow extends BaseCommand {
    static override summary = "Show a draft, or write it as a patch.";
    static override description =
        "The patch is for `git apply`, with modes, links, renames and binary files.";
    static override examples = [
        "north draft show 3fa2c1",
        "north draft show 3fa2c1 -o task.patch",
        "north draft show 3fa2c1 -o - | git apply",
    ];
    static override args = { id: conversationArgument({ required: true }) };
    static override flags = {
        output: textFlag({
            char: "o",
            description: "Write a patch here; - is stdout.",
            helpValue: "FILE",
        }),
        path: pathFlag(),
    };

    async run(): Promise<unknown> {
        const { args, flags } = await this.parse(DraftShow);
        const draft = await readDraft(this.directories.data, flags.path, args.id);
        const { id, files } = draft;
        const patch = draft.patch.toString("utf8");
        const { stdout } = process;
        if (flags.output === undefined) this.logStyled(await changesText(draft.changeSet));
        else if (flags.output !== "-") await writePatch(flags.output, patch);
        else if (!this.jsonEnabled()) stdout.write(exactUnlessTerminal(patch, stdout));
        return { id, files, patch };
    }
}
