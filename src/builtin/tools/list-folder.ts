import * as Type from "typebox";
import { countedAtLeast } from "../../base/format.js";
import { readOnlyTool } from "./read-only-tool.js";
import { success } from "./results.js";

const MAX_ENTRIES = 500;

export const listFolder = readOnlyTool({
    name: "list_folder",
    isEssential: true,
    description: "List a folder with file sizes.",
    kind: "search",
    input: {
        path: Type.String(),
        ignore: Type.Optional(
            Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
                maxItems: 50,
                description: "Globs to leave out",
            })
        ),
    },
    equivalents: ({ path }) => [{ tool: "LS", input: { path } }],
    intent: (input) => `Listing ${input.path}`,
    async execute(input, { workspace }) {
        const path = workspace.relative(input.path);
        const listed = await workspace.list(input.path);
        const isLeftOut = await leaveOut(input.ignore ?? []);
        const shown = listed.filter(
            ({ name }) => !isLeftOut(name) && !isLeftOut(path === "" ? name : `${path}/${name}`)
        );
        return success({
            path,
            ...(listed.some(({ ignored }) => ignored) ? { ignored: true } : {}),
            entries: shown
                .slice(0, MAX_ENTRIES)
                .map(({ name, type, size }) => ({ name, type, size })),
            truncated: shown.length > MAX_ENTRIES,
            total: shown.length,
        });
    },
    summary: (data) => countedAtLeast(data.entries.length, "entry", { ...data, plural: "entries" }),
});

/** A glob may match the entry's name or its path in the repository. */
async function leaveOut(globs: readonly string[]): Promise<(name: string) => boolean> {
    if (globs.length === 0) return () => false;
    const { compileGlob } = await import("../../base/glob.js");
    const matchers = await Promise.all(globs.map((glob) => compileGlob(glob)));
    return (name) => matchers.some((matches) => matches(name));
}
