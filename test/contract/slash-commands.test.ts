import { builtin } from "../../src/builtin/index.js";
import { checkSlashCommand } from "../../src/plugin-testing/index.js";
import type { SlashContext } from "../../src/plugin/index.js";

/** As much of a session as completions look at. */
const SESSION = {
    changes: { turns: () => [{ turn: 1, inEffect: "all", question: "Why?" }] },
    conversation: { hiddenOutputs: () => [{ kind: "diff", title: "a.txt" }] },
    conversations: { list: async () => [{ id: "abc123", firstWords: "Why?" }] },
    jobs: { list: () => [{ id: "1", command: "sleep 1", state: "running" }] },
    keys: { providers: ["anthropic"] },
    models: { current: () => ({ efforts: ["low"] }), list: async () => [] },
    rescues: { list: async () => [{ id: "1", command: "rm a.txt" }] },
} as unknown as Partial<SlashContext>;

describe("Contract of the built-in slash commands", () => {
    for (const command of builtin.slashCommands ?? []) {
        it(`/${command.name} satisfies the contract`, async () => {
            await checkSlashCommand(command, SESSION);
        });
    }
});
