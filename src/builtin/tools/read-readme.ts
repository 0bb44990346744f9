import { readmeAmong } from "../../code/files/readme.js";
import { prefixWithin } from "../../code/text/line-window.js";
import { readTextFile } from "../../code/text/text-file.js";
import { readOnlyTool } from "./read-only-tool.js";
import { failure, success } from "./results.js";

const MAX_README_BYTES = 8 * 1024;

export const readReadme = readOnlyTool({
    name: "read_readme",
    description: "Read the repository's README, its first 8 KB.",
    kind: "read",
    input: {},
    intent: () => "Reading the README",
    async execute(_input, { workspace, observe }) {
        const path = readmeAmong(await workspace.list("."));
        if (path === undefined) {
            return failure(
                "not-found",
                "There is no README in the repository root.",
                "Try list_root or find_files."
            );
        }
        const file = await readTextFile(workspace, path);
        observe(file.path, file.hash);
        const whole = file.lines.join("\n");
        const content = prefixWithin(whole, MAX_README_BYTES);
        return success({
            path: file.path,
            content,
            truncated: content.length < whole.length,
            ...(file.note === undefined ? {} : { note: file.note }),
        });
    },
    summary: (data) => data.path,
    render: ({ path, content, truncated, note }) =>
        [truncated ? `${path}, its beginning` : path, ...(note ? [`[${note}]`] : []), content].join(
            "\n"
        ),
});
