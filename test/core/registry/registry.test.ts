import { expect } from "chai";
import { buildRegistry, OWN_PLUGIN } from "../../../src/core/registry/registry.js";

const tool = {
    name: "clock",
    description: "Tells the time.",
    inputSchema: { type: "object" },
    readOnly: true,
    approval: "none",
    intent: () => "Looking at the clock",
    execute: async () => ({ ok: true, data: {} }),
};

describe("The registry", () => {
    it("Valid contributions are accepted, and the first of two equal names wins", () => {
        const { tools, problems } = buildRegistry([
            { plugin: "north-cli", contribution: { apiVersion: 1, tools: [tool] } },
            {
                plugin: "other",
                contribution: { apiVersion: 1, tools: [tool, { ...tool, name: "two" }] },
            },
        ]);
        expect([...tools].map(([name, { plugin }]) => [name, plugin])).to.deep.equal([
            ["clock", "north-cli"],
            ["two", "other"],
        ]);
        expect(problems).to.deep.equal([
            "The plugin other: tool clock was skipped: the name is taken by north-cli",
        ]);
    });

    it("A provider without an iterable reply is refused", () => {
        const provider = { id: "p", displayName: "P", models: [], connect: async () => null };
        for (const silenceMs of [0, -1, 1.5, Number.NaN, Infinity, 2 ** 31, "60", null]) {
            const contribution = { apiVersion: 1, providers: [{ ...provider, silenceMs }] };
            const { providers, problems } = buildRegistry([{ plugin: "odd", contribution }]);
            expect(providers.size, String(silenceMs)).to.equal(0);
            expect(problems.join()).to.contain("odd: provider p was skipped: silenceMs");
        }
    });

    it("Every refused contribution is reported with its plugin and reason, and nothing throws", () => {
        const { tools, problems } = buildRegistry([
            { plugin: "nothing", contribution: undefined },
            { plugin: "future", contribution: { apiVersion: 2, tools: [tool] } },
            {
                plugin: "sloppy",
                contribution: {
                    apiVersion: 1,
                    tools: [
                        null,
                        { ...tool, name: "has space" },
                        { ...tool, approval: "sometimes" },
                        { ...tool, approval: "write" },
                        { ...tool, inputSchema: null },
                        { ...tool, intent: "Looking" },
                    ],
                    providers: "none",
                    slashCommands: [{ name: "x" }],
                    checks: [null],
                    observers: [{ name: "o" }],
                },
            },
        ]);
        expect(tools.size).to.equal(0);
        expect(problems).to.have.length(11);
        for (const problem of problems) {
            expect(problem).to.match(/^The plugin (nothing|future|sloppy): /);
        }
        expect(problems.join("\n"))
            .to.contain("propose must be a function")
            .and.contain("inputSchema must be an object");
    });

    it("Each problem that a plugin reports is passed on in one line, and the rest is accepted", () => {
        const problems = ["the server files did not start: ENOENT\nand more", "one more"];
        const registry = buildRegistry([
            { plugin: "servers", contribution: { apiVersion: 1, tools: [tool], problems } },
            { plugin: "odd", contribution: { apiVersion: 1, problems: "not a list" } },
            { plugin: "odder", contribution: { apiVersion: 1, problems: [null, 7] } },
            { plugin: OWN_PLUGIN, contribution: { apiVersion: 1, problems: ["config.json: …"] } },
        ]);
        expect([...registry.tools.keys()]).to.deep.equal(["clock"]);
        expect(registry.problems).to.deep.equal([
            "The plugin servers: the server files did not start: ENOENT",
            "The plugin servers: one more",
            "The plugin odder: null",
            "The plugin odder: 7",
            "config.json: …",
        ]);
    });
});
