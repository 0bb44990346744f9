import { expect } from "chai";
import { tokensIn } from "../../../bench/tokens.js";
import { builtin } from "../../../src/builtin/index.js";
import { OWN_PLUGIN, type Registry } from "../../../src/core/registry/registry.js";
import { RequestStarts } from "../../../src/host/session/request-start.js";
import type { Mode, ModelInfo, Tool } from "../../../src/plugin/index.js";

const ESSENTIAL = [
    ...["edit_create_file", "edit_replace_exact", "expand_output", "find_files", "list_folder"],
    ...["read_file", "search_text", "shell_run"],
];

const foreign: Tool = {
    name: "foreign",
    description: "A tool of a plugin.",
    inputSchema: { type: "object", properties: {} },
    approval: "none",
    readOnly: true,
    intent: () => "Working",
    execute: async () => ({ ok: true, data: {} }),
};

describe("The start of requests", () => {
    const all = (builtin.tools ?? []).filter(({ searchesWeb }) => !searchesWeb);
    const owned = [
        ...(builtin.tools ?? []).map((value) => ({ plugin: OWN_PLUGIN, value })),
        { plugin: "north-plugin-foreign", value: foreign },
    ];
    const registry = {
        tools: new Map(owned.map((tool) => [tool.value.name, tool])),
    } as unknown as Registry;
    const project = { registry } as ConstructorParameters<typeof RequestStarts>[0];
    const starts = new RequestStarts(project);
    const startFor = (mode: Mode, contextTokens: number) =>
        starts.for(mode, { contextTokens } as ModelInfo);

    it("A model with a large window gets every tool and the whole system prompt", () => {
        const { schemas, leftOut } = startFor("agent", 32_768);
        expect(schemas).to.have.length(all.length + 1);
        expect(leftOut).to.equal(undefined);
    });

    it("Searching the web is offered where the user allows it and the model can", () => {
        const allowing = new RequestStarts(project, true);
        const offers = (made: RequestStarts, webSearch: boolean) =>
            made
                .for("ask", { contextTokens: 200_000, webSearch } as ModelInfo)
                .schemas.some(({ name }) => name === "web_search");
        expect(offers(allowing, true)).to.equal(true);
        expect(offers(allowing, false)).to.equal(false);
        expect(offers(starts, true)).to.equal(false);
    });

    it("A model with a small window gets the essential tools, those of plugins, and half the tokens", () => {
        const small = startFor("agent", 32_767);
        const names = small.schemas.map(({ name }) => name).sort();
        expect(names).to.deep.equal([...ESSENTIAL, "foreign"].sort());
        expect(small.leftOut).to.equal(
            `The window is below 32,768 tokens: ${all.length - ESSENTIAL.length} tools and part of the system prompt are left out.`
        );
        const large = startFor("agent", 200_000);
        const tokensOf = ({ system, schemas }: typeof small) =>
            tokensIn(system) + tokensIn(JSON.stringify(schemas));
        expect(tokensOf(small) / tokensOf(large)).to.be.below(0.5);
        // Whole sections only, and the rules that hold in every conversation.
        expect(small.system).to.match(/^You are North.*<tool_calling>.*<\/conversation>$/s);
        expect(small.system.match(/^<\w+>$/gm)).to.have.length(
            small.system.match(/^<\/\w+>$/gm)?.length ?? 0
        );
    });

    it("A small window in ask mode has only tools that read", () => {
        const names = startFor("ask", 8_192).schemas.map(({ name }) => name);
        expect(names).to.include("read_file").and.not.include("edit_create_file");
    });

    it("The start for a mode and a window never changes", () => {
        expect(startFor("agent", 8_192)).to.equal(startFor("agent", 16_384));
    });
});
