import type { ConnectionSettings, Provider } from "../../../plugin/index.js";
import { EVENT_SILENCE } from "../../../provider-kit/limits.js";
import { CHATGPT, describePlanModel, planModels } from "./plan.js";

/** OpenAI's models on the plan of a ChatGPT account, which the user signs in to. */
export const chatgpt: Provider = {
    id: CHATGPT.id,
    displayName: CHATGPT.name,
    models: planModels,
    baseURLVariable: "CHATGPT_BASE_URL",
    silenceMs: EVENT_SILENCE,
    describe: describePlanModel,
    discover: async (settings) => (await import("./plan-models.js")).discover(settings),
    checkKey: async (settings, { signal }) =>
        void (await (await import("./plan-models.js")).discover(settings, signal)),
    signIn: async (...asked) => (await import("./plan-sign-in.js")).signInToChatGPT(...asked),
    signOut: async (...asked) => (await import("./plan-tokens.js")).signOutOfChatGPT(...asked),
    connect: async (settings) => connect(settings),
};

export async function connect(settings: ConnectionSettings) {
    const { withPlanToken } = await import("./plan-tokens.js");
    const { connect } = await import("./connect.js");
    return connect(withPlanToken(settings), undefined, CHATGPT, "plan");
}
