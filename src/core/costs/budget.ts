import type { ModelInfo } from "../../plugin/index.js";

/** What a budget says to one more request. */
export type BudgetVerdict =
    /** `notice` is what the user should know of it, told once. */
    | { readonly kind: "within"; readonly notice?: string }
    | {
          readonly kind: "spent";
          /** Names the budget and what was spent of it. */
          readonly sentence: string;
          readonly nextSteps: readonly string[];
          /** The user goes on all the same; the next verdict is due when as much again is spent. */
          goOn(): void;
      };

/** How much may be spent before the user is asked; consulted before each request. */
export interface Budget {
    check(model: ModelInfo): Promise<BudgetVerdict>;
}
