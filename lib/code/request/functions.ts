/** What a script can call, in one line: for descriptions, and for scripts that guessed wrong. */

/** The functions of a script, in both languages; JavaScript awaits all but `gum_print`. */
export const SCRIPT_FUNCTIONS = "gum_call(op_id, args), gum_parallel([{op_id, args}, …]), " +
  "gum_pages(op_id, args, {max_pages}), gum_search(query), gum_describe(op_id), " +
  "gum_confirm_destructive(op_id, resource_key), gum_print(value)";
