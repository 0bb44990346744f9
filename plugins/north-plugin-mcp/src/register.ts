import type { RegisterHook } from "north-cli/plugin";
import { readDefinitions } from "./definitions.js";
import { offersOf } from "./offers.js";
import { mcp } from "./slash-command.js";
import { openStore } from "./stored.js";
import { toNorthTool } from "./tool.js";
import { nameTools } from "./tool-names.js";

const register: RegisterHook = async ({ root, configFolder, dataFolder }) => {
    if (root === undefined || configFolder === undefined || dataFolder === undefined) {
        return { apiVersion: 1 };
    }

    const place = { root, configFolder, dataFolder };
    const { definitions, problems } = await readDefinitions(place);
    const store = openStore(dataFolder);
    const outcomes = await Promise.all(
        definitions.map((definition) => offersOf(definition, place, store))
    );
    const taken = new Set<string>();
    const tools = outcomes.flatMap((outcome) => {
        if (outcome.kind === "problem") return [];
        const { definition, server, permission } = outcome;
        return nameTools(definition.name, outcome.tools, taken).map(({ name, offer }) => {
            const isTrustedToRead = offer.isReadOnly && permission.readOnlyTools;
            return toNorthTool({ name, offer, definition, server, isTrustedToRead });
        });
    });
    return {
        apiVersion: 1,
        tools,
        slashCommands: [mcp(place)],
        problems: [
            ...problems,
            ...outcomes.flatMap((outcome) => (outcome.kind === "problem" ? outcome.problem : [])),
        ],
    };
};

export default register;
