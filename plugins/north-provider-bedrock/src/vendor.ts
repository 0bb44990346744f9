import type { Vendor } from "north-cli/provider-kit";

/** The SDK finds the credentials itself, so there is no key to ask for. */
export const BEDROCK = {
    id: "bedrock",
    name: "Amazon Bedrock",
    /** The SDK's own variable: https://docs.aws.amazon.com/sdkref/latest/guide/feature-ss-endpoints.html */
    baseURLVariable: "AWS_ENDPOINT_URL_BEDROCK_RUNTIME",
    baseURL: "https://bedrock-runtime.us-east-1.amazonaws.com",
} as const satisfies Vendor;
