import { builtin } from "../../src/builtin/index.js";
import { checkSlashCommand, type SlashParts } from "../../src/plugin-testing/index.js";

/** As much of a session as completions look at. */
const SESSION = {
    changes: {
        turns: () => [{ turn: 1, inEffect: "all", question: "Why?" }],
        rescues: { list: async () => [{ id: "1", command: "rm a.txt" }] },
    },
    conversation: { hiddenOutputs: () => [{ kind: "diff", title: "a.txt" }] },
    conversations: { list: async () => [{ id: "abc123", firstWords: "Why?" }] },
    keys: { providers: ["anthropic"] },
    session: { models: { current: () => ({ efforts: ["low"] }), list: async () => [] } },
    shell: { jobs: { list: () => [{ id: "1", command: "sleep 1", state: "running" }] } },
} as unknown as SlashParts;

describe("Contract of the built-in slash commands", () => {
    for (const command of builtin.slashCommands ?? []) {
        it(`/${command.name} satisfies the contract`, async () => {
            await checkSlashCommand(command, SESSION);
        });
    }
});
