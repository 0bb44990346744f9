export { checkCheck, checkContextSource, checkObserver } from "./check-hooks.js";
export { checkModels } from "./check-models.js";
export { checkProvider, sampleRequest, type ProviderSetting } from "./check-provider.js";
export { checkReply } from "./check-reply.js";
export {
    checkSlashCommand,
    runSlashCommand,
    type SlashParts,
    type SlashRun,
} from "./check-slash-command.js";
export { checkTool, type ToolSamples } from "./check-tool.js";
export { ContractError } from "./contract-error.js";
export { checkCancelled, runTool } from "./run-tool.js";
export { toolContext } from "./tool-context.js";
