import type { RegisterHook } from "north-cli/plugin";
import { deferredTools, isDeferred } from "./deferred.js";
import { readDefinitions } from "./definitions.js";
import { offersOf, problemsOf } from "./offers.js";
import { promptCommands } from "./prompts.js";
import { mentionedResources } from "./resources.js";
import { mcp } from "./slash-command.js";
import { openStore } from "./stored.js";
import { type OfferedTool, toNorthTool } from "./tool.js";
import { nameTools } from "./tool-names.js";

const register: RegisterHook = async ({
    root,
    configFolder,
    dataFolder,
    secrets,
    projectId,
    mcpServers: given = {},
}) => {
    if (!root || !configFolder || !dataFolder || !secrets) return { apiVersion: 1 };
    const place = { root, configFolder, dataFolder, secrets, given, projectId };
    const { definitions, problems } = await readDefinitions(place);
    const store = openStore(place);
    const outcomes = await Promise.all(
        definitions.map((definition) => offersOf(definition, place, store))
    );
    const running = outcomes.flatMap((outcome) => (outcome.kind === "offers" ? [outcome] : []));
    const taken = new Set<string>();
    const offered = running.map(({ definition, server, permission, offers }) =>
        nameTools(definition.name, offers.tools, taken).map(({ name, offer }): OfferedTool => {
            const isTrustedToRead = offer.isReadOnly && permission.readOnlyTools;
            return { name, offer, definition, server, isTrustedToRead };
        })
    );
    const listed = offered.filter((tools) => !isDeferred(tools)).flat();
    const deferred = offered.filter(isDeferred).flat();
    const prompts = running.flatMap(({ definition, server, offers }) =>
        promptCommands(definition.name, offers.prompts, server)
    );
    const withResources = running.filter(({ offers }) => offers.hasResources);
    const servers = new Map(
        withResources.map(({ definition, server }) => [definition.name, server])
    );
    return {
        apiVersion: 1,
        tools: [...listed.map(toNorthTool), ...deferredTools(deferred)],
        slashCommands: [mcp(place), ...prompts],
        ...(servers.size > 0 ? { contextSources: [mentionedResources(servers)] } : {}),
        problems: [...problems, ...outcomes.flatMap(problemsOf)],
    };
};

export default register;
