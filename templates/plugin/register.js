/** @type {import("north-cli/plugin").PlainTool<{ path: string }, { path: string, words: number }>} */
const tool = {
    name: "sample",
    description: "Count the words of a text file.",
    approval: "none",
    readOnly: true,
    inputSchema: {
        type: "object",
        properties: {
            path: { type: "string", description: "Relative to the repository root" },
        },
        required: ["path"],
        additionalProperties: false,
    },
    intent: ({ path }) => `Counting the words of ${path}`,
    summary: ({ words }) => `${words} words`,
    async execute({ path }, { workspace }) {
        const file = await workspace.read(path);
        const words = wordsIn(new TextDecoder().decode(file.bytes));
        return { ok: true, data: { path: file.path, words } };
    },
};

/** @type {import("north-cli/plugin").SlashCommand} */
const command = {
    name: "sample",
    description: "Count the words of a text.",
    usage: "/sample TEXT",
    async run(text, { screen }) {
        screen.print(`${wordsIn(text)} words`);
    },
};

/** @param {string} text */
function wordsIn(text) {
    return text.split(/\s+/).filter((word) => word !== "").length;
}

/** @type {import("north-cli/plugin").RegisterHook} */
export default async function register() {
    return { apiVersion: 1, tools: [tool], slashCommands: [command] };
}
