export { type CacheMark, markOf } from "./cache-marks.js";
export { CallCollector, type CallPiece, mergeCallExtras } from "./call-collector.js";
export { CallIds } from "./call-ids.js";
export {
    failureOf,
    type FailureCode,
    FILTERED,
    incompleteStream,
    notStreamed,
    plainText,
    SPENT_ADVICE,
    toFailure,
    type Vendor,
    type VendorError,
} from "./failures.js";
export { BodyMemory, createBodyJoiner, type GrowingBody } from "./growing-body.js";
export { type IdentifierRules, toCallId, toToolName } from "./identifiers.js";
export { toJson, toWellFormed } from "./json-text.js";
export { type Limits, LIMITS, NO_TIMEOUT } from "./limits.js";
export {
    isBlank,
    isOwnThinking,
    sendableMedia,
    sendableParts,
    type SendableImage,
    toDataUrl,
    toFunctionCall,
    toFunctionTools,
} from "./message-parts.js";
export { listenForCallback } from "./listen-for-callback.js";
export { CLAUDE_IMAGES, createMediaLimit } from "./newest-media.js";
export { createNodeHttpFetch } from "./node-http-fetch.js";
export { keyHeaders, openServer, type Server } from "./open-server.js";
export { proxyFor } from "./proxy.js";
export { receiveReply } from "./receive-reply.js";
export { readToEnd } from "./read-to-end.js";
export { connectWithFlex } from "./tiers.js";
export { isJsonObject, parseInput, type ToolInput } from "./tool-input.js";
export { untilAborted, withTimeLimit } from "../base/waiting.js";
export { untilAccepted } from "./until-accepted.js";
export { highestUsage, type PromptUsage, toUsageWithoutOverlap } from "./usage.js";
