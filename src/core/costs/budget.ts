import type { ModelInfo } from "../../plugin/index.js";

export type BudgetVerdict =
    /** `notice` is a warning for the user, given once. */
    | { readonly kind: "within"; readonly notice?: string }
    | {
          readonly kind: "spent";
          /** Names the budget and the amount spent. */
          readonly sentence: string;
          readonly nextSteps: readonly string[];
          /** Continues anyway; the user is asked again after as much again is spent. */
          raiseLimit(): void;
      };

/** How much may be spent before asking the user; checked before each request. */
export interface Budget {
    check(model: ModelInfo): Promise<BudgetVerdict>;
}
