import {
    isJSONRPCRequest,
    isJSONRPCResultResponse,
    isSpecType,
    type JSONRPCMessage,
    type Transport,
} from "@modelcontextprotocol/client";
import { isRecord, type JsonRecord } from "./json.js";
import { oneLine } from "./reason.js";

/** The error of a request whose stream ended; one of those JSON-RPC leaves to implementations. */
export const NO_ANSWER = -32_099;

/** Makes a transport forgive what the SDK rejects or waits for. Call it before connecting. */
export function forgive(transport: Transport): void {
    // The SDK calls this first, with the message it then reads.
    transport.onmessage = (message) => replaceUnreadable(message);
    const send = transport.send.bind(transport);
    transport.send = (message, options) => {
        if (!isJSONRPCRequest(message)) return send(message, options);
        const { id } = message;
        const onRequestStreamEnd = () => {
            options?.onRequestStreamEnd?.();
            // The SDK ignores it if the answer has come.
            const error = { code: NO_ANSWER, message: "its stream ended without an answer" };
            transport.onmessage?.({ jsonrpc: "2.0", id, error });
        };
        return send(message, { ...options, onRequestStreamEnd });
    };
}

/** The SDK rejects a whole result for one content it does not know, or for a null. */
function replaceUnreadable(message: JSONRPCMessage): void {
    if (!isJSONRPCResultResponse(message)) return;
    const result: Record<string, unknown> = withoutNulls(message.result);
    if (Array.isArray(result.content)) result.content = result.content.map(readable);
    if (Array.isArray(result.contents)) result.contents = result.contents.map(readableResource);
    if (Array.isArray(result.messages)) {
        result.messages = result.messages.map((each: unknown) =>
            isRecord(each) ? { ...each, content: readable(each.content) } : each
        );
    }
    message.result = result;
}

function readable(content: unknown): unknown {
    const { resource, ...fields } = isRecord(content) ? withoutNulls(content) : {};
    const kept = isRecord(resource) ? { ...fields, resource: readableResource(resource) } : fields;
    if (isSpecType.ContentBlock(kept)) return kept;
    const type = typeof kept.type === "string" ? `type ${oneLine(kept.type, 40)}` : "no type";
    return { type: "text", text: `(left out: content of ${type})` };
}

function readableResource(contents: unknown): JsonRecord {
    const kept = isRecord(contents) ? withoutNulls(contents) : {};
    const { TextResourceContents: isText, BlobResourceContents: isBlob } = isSpecType;
    if (isText(kept) || isBlob(kept)) return kept;
    const uri = typeof kept.uri === "string" ? kept.uri : "";
    return { uri, text: "(left out: a resource that cannot be read)" };
}

/** Some servers write null for what is absent. */
function withoutNulls(value: JsonRecord): JsonRecord {
    return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== null));
}
