import { tmpdir } from "node:os";
import { expect } from "chai";
import { ConversationLog } from "../../../src/core/conversation/conversation-log.js";
import { silentLog } from "../../../src/core/log.js";
import type { Mode, PlainTool } from "../../../src/plugin/index.js";
import { makeTurn } from "../../../src/host/session/make-turn.js";
import { HostSession, type SessionOptions } from "../../../src/host/session/session.js";
import { ScriptedModel, scriptedModelInfo } from "../../helpers/scripted-model.js";
import { stubServices } from "../../helpers/stub-services.js";
import { memoryStaging } from "../../helpers/turn.js";

describe("makeTurn", () => {
    it("A mode that is switched while a message is prepared counts from the next turn on", async () => {
        const { provider } = new ScriptedModel([]);
        const journal = { append: () => {}, sync: async () => {}, close: async () => {} };
        const open = async () => ({ journal, records: [] });
        const start = {
            conversation: new ConversationLog("abc123", { open, observers: [], log: silentLog }),
            model: { provider, model: scriptedModelInfo, thinks: false },
            mode: "agent" as Mode,
            thinking: { on: false },
            files: [],
        };
        const tool = (name: string, readOnly: boolean): PlainTool => ({
            ...{ name, readOnly, description: name, approval: "none" },
            inputSchema: { type: "object" },
            intent: () => name,
            execute: async () => ({ ok: true, data: undefined }),
        });
        const tools = [tool("look", true), tool("change", false)];
        const project = {
            root: tmpdir(),
            checks: async () => [],
            context: {
                prepare: () => {},
                begin: async () => [],
                // As Shift+Tab does.
                async forMessage() {
                    session.mode = "ask";
                    return [];
                },
                forFiles: async () => [],
                takeNotices: () => [],
            },
            directories: { data: "", config: "" },
            registry: {
                tools: new Map(tools.map((value) => [value.name, { value }])),
                slashCommands: new Map(),
            },
            shell: {},
            secrets: { text: (text: string) => text },
            stores: {
                staging: () => memoryStaging(),
                grants: { hookFiles: async () => new Set() },
            },
        };
        const options = {
            ...{
                project,
                start,
                budget: {},
                settings: { limits: {} },
                runGrants: {},
                surroundings: {},
            },
            fallbackModels: [],
            connections: { to: async () => ({}), keys: new Set() },
            runtime: { now: () => 1, id: () => "id" },
        } as unknown as SessionOptions;
        const servicesOf = () => stubServices();
        const session = new HostSession(options, { makeTurn, tellEnd: async () => {}, servicesOf });
        const { signal } = new AbortController();
        const offered = async () => {
            const { turn } = await makeTurn(session, "Hello", { signal });
            return [turn.settings.mode, ...turn.request.schemas.map(({ name }) => name)];
        };
        expect(await offered()).to.deep.equal(["agent", "look", "change"]);
        expect(await offered()).to.deep.equal(["ask", "look"]);
    });
});
