/** `gum completion <shell>`: four small scripts around `gum __complete` (spec 08 §7, 12 §5). */

import { invalidArg, UsageError } from "./errors.ts";
import type { CommandContext } from "./types.ts";

/** Shells with a script. */
export type Shell = "bash" | "zsh" | "fish" | "powershell";

/** Runs `gum completion`. */
export function runCompletion({ words, flags, host }: CommandContext): Promise<void> {
  const shell = words[0] ?? "";
  if (!Object.hasOwn(SCRIPTS, shell)) {
    throw invalidArg(shell, `accepted: ${Object.keys(SCRIPTS).join(", ")}`);
  }
  if (words[1] !== undefined) {
    throw new UsageError(`unexpected argument ${JSON.stringify(words[1])}`);
  }
  host.stdout.write(completionScript(shell as Shell, !flags.on("no-descriptions")));
  return Promise.resolve();
}

/** The script of a shell. */
export function completionScript(shell: Shell, descriptions: boolean): string {
  return SCRIPTS[shell](descriptions ? "__complete" : "__completeNoDesc");
}

// Words travel as an array and are never evaluated: a half-typed $(…) must not run on TAB. Every
// shell hands them over as they are typed, so quotes and backslashes are taken off first, and put
// on again where a candidate needs them.
// In bash the characters of COMP_WORDBREAKS split words: pieces that touch in the line are joined
// again, and the part before the last break is cut off the candidates.
const SCRIPTS: Record<Shell, (responder: string) => string> = {
  bash: (responder) =>
    String.raw`# bash completion for gum
__gum_words() {
  local line=${"$"}{COMP_LINE:0:COMP_POINT} piece index
  __gum_typed=()
  for (( index = 0; index <= COMP_CWORD; index++ )); do
    piece=${"$"}{COMP_WORDS[index]}
    if (( index > 0 )) && [[ ${"$"}line != [[:space:]]* ]]; then
      (( index == COMP_CWORD )) && piece=${"$"}line
      __gum_typed[${"$"}{#__gum_typed[@]}-1]+=${"$"}piece
    else
      line=${"$"}{line#"${"$"}{line%%[![:space:]]*}"}
      (( index == COMP_CWORD )) && piece=${"$"}line
      __gum_typed+=("${"$"}piece")
    fi
    line=${"$"}{line#"${"$"}piece"}
  done
}
__gum_unquote() {
  local text=${"$"}1 char plain='' before=0
  __gum_open='' __gum_cut=''
  while [[ -n ${"$"}text ]]; do
    char=${"$"}{text:0:1} text=${"$"}{text:1}
    if [[ ${"$"}__gum_open == "'" ]]; then
      if [[ ${"$"}char == "'" ]]; then __gum_open=''; else plain+=${"$"}char; fi
    elif [[ ${"$"}char == \\ ]]; then
      [[ ${"$"}__gum_open == '"' && ${"$"}{text:0:1} != [\\\"${"$"}\`] ]] && plain+=${"$"}char
      plain+=${"$"}{text:0:1} text=${"$"}{text:1}
    elif [[ -n ${"$"}__gum_open && ${"$"}char == "${"$"}__gum_open" ]]; then
      __gum_open=''
    elif [[ -z ${"$"}__gum_open && ${"$"}char == [\'\"] ]]; then
      __gum_open=${"$"}char before=${"$"}{#plain}
    else
      plain+=${"$"}char
      [[ -z ${"$"}__gum_open && ${"$"}COMP_WORDBREAKS == *"${"$"}char"* ]] && before=${"$"}{#plain}
    fi
  done
  __gum_plain=${"$"}plain
  __gum_cut=${"$"}{plain:0:before}
}
__gum_quote() {
  local special
  __gum_quoted=${"$"}1
  case ${"$"}__gum_open in
    "'") __gum_quoted=${"$"}{__gum_quoted//"'"/"'\\''"} ;;
    '"') for special in \\ \" \$ \`; do
        __gum_quoted=${"$"}{__gum_quoted//"${"$"}special"/\\"${"$"}special"}
      done ;;
    *) [[ ${"$"}1 == *[!a-zA-Z0-9_.,:/=@%+-]* ]] || return 0
      for special in \\ ' ' \( \) \' \" \$ \` \& \; \| \< \> \* \? \[ \] \{ \} \! \# \~; do
        __gum_quoted=${"$"}{__gum_quoted//"${"$"}special"/\\"${"$"}special"}
      done ;;
  esac
}
__gum_complete() {
  local line word program directive=0 cut plain
  local __gum_typed __gum_plain __gum_open __gum_cut __gum_quoted
  local words=()
  COMPREPLY=()
  __gum_words
  for word in "${"$"}{__gum_typed[@]:1}"; do
    __gum_unquote "${"$"}word"
    words+=("${"$"}__gum_plain")
  done
  cut=${"$"}__gum_cut plain=${"$"}__gum_plain
  # Under another name (an alias) it is still gum that answers.
  __gum_unquote "${"$"}{COMP_WORDS[0]}"
  program=${"$"}{__gum_plain/#~\//"${"$"}HOME"/}
  [[ ${"$"}{program##*/} == gum* ]] || program=gum
  __gum_unquote "${"$"}{__gum_typed[${"$"}{#__gum_typed[@]}-1]}"
  while IFS= read -r line; do
    case ${"$"}line in
      :[0-9]*) directive=${"$"}{line#:} ;;
      *) line=${"$"}{line%%${"$"}'\t'*}
        __gum_quote "${"$"}{line#"${"$"}cut"}"
        COMPREPLY+=("${"$"}__gum_quoted") ;;
    esac
  done < <("${"$"}program" ${responder} "${"$"}{words[@]}" 2>/dev/null)
  (( directive & 2 )) && compopt -o nospace 2>/dev/null
  (( directive & 4 )) && compopt +o default 2>/dev/null
  # Files after an @, which is no part of their names.
  if (( ${"$"}{#COMPREPLY[@]} == 0 && ! (directive & 4) )) && [[ ${"$"}plain =~ ^(--[^=]*=)?@ ]]; then
    word=${"$"}{plain#"${"$"}{BASH_REMATCH[0]}"}
    compopt -o filenames 2>/dev/null
    while IFS= read -r line; do
      line=${"$"}{BASH_REMATCH[0]}${"$"}line
      COMPREPLY+=("${"$"}{line#"${"$"}cut"}")
    done < <(compgen -f -- "${"$"}word")
  fi
  return 0
}
complete -o default -F __gum_complete gum
`,
  zsh: (responder) =>
    String.raw`#compdef gum
_gum() {
  local line directive=0 value text program
  local -a typed values texts suffix
  # Under another name (an alias) it is still gum that answers.
  program=${"$"}{${"$"}{(Q)words[1]}/#\~\//${"$"}HOME/}
  [[ ${"$"}{program:t} == gum* ]] || program=gum
  typed=("${"$"}{(@Q)words[2,CURRENT-1]}" "${"$"}{(Q)PREFIX}")
  for line in "${"$"}{(@f)$("${"$"}program" ${responder} "${"$"}{(@)typed}" 2>/dev/null)}"; do
    if [[ ${"$"}line == :<-> ]]; then directive=${"$"}{line#:}; continue; fi
    [[ -z ${"$"}line ]] && continue
    value=${"$"}{line%%${"$"}'\t'*}
    text=${"$"}value
    [[ ${"$"}line == *${"$"}'\t'* ]] && text="${"$"}value  -- ${"$"}{line#*${"$"}'\t'}"
    values+=("${"$"}value")
    texts+=("${"$"}text")
  done
  (( directive & 2 )) && suffix=(-S '')
  if (( ${"$"}{#values} )); then
    compadd -l "${"$"}{(@)suffix}" -d texts -- "${"$"}{(@)values}"
  elif ! (( directive & 4 )); then
    # What stands before a file's name: a flag and its =, the @ of a file reference.
    [[ ${"$"}PREFIX == --*=* ]] && compset -P 1 '*='
    [[ ${"$"}PREFIX == @* ]] && compset -P '@'
    _files
  fi
}
if [ "${"$"}{funcstack[1]}" = "_gum" ]; then
  _gum "${"$"}@"
else
  compdef _gum gum
fi
`,
  fish: (responder) =>
    String.raw`# fish completion for gum
function __gum_complete
  set -l typed (commandline -opc)
  set -l token (commandline -ct)
  # An open quote is no whole word yet, but it is not part of the word either.
  set -l plain (string unescape -- "${"$"}token"; or string replace -ra '["\']' '' -- "${"$"}token")
  test "${"$"}typed[1]" = command; and set -e typed[1]
  # Under another name (an alias) it is still gum that answers.
  set -l program (string replace -r '^~/' "${"$"}HOME/" -- ${"$"}typed[1])
  string match -qr '(^|/)gum[^/]*${"$"}' -- "${"$"}program"; or set program gum
  set -e typed[1]
  set -l directive 0
  set -l found 0
  for line in (${"$"}program ${responder} ${"$"}typed "${"$"}plain" 2>/dev/null)
    if string match -qr '^:[0-9]+${"$"}' -- ${"$"}line
      set directive (string sub -s 2 -- ${"$"}line)
    else
      set found 1
      echo ${"$"}line
    end
  end
  if test ${"$"}found -eq 0; and test (math "floor(${"$"}directive / 4) % 2") -eq 0
    # What stands before a file's name: a flag and its =, the @ of a file reference.
    set -l head (string match -r '^(?:--[^=]*=)?@?' -- "${"$"}plain")
    set -l rest (string sub -s (math (string length -- "${"$"}head") + 1) -- "${"$"}plain")
    for path in (__fish_complete_path "${"$"}rest")
      echo "${"$"}head${"$"}path"
    end
  end
end
complete -c gum -f -a '(__gum_complete)'
`,
  powershell: (responder) =>
    String.raw`# PowerShell completion for gum
Register-ArgumentCompleter -Native -CommandName gum -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $typed = @()
  foreach ($element in $commandAst.CommandElements) {
    if ($element.Extent.StartOffset -ge $cursorPosition) { break }
    $text = $element.Extent.Text
    if ($element -is [System.Management.Automation.Language.StringConstantExpressionAst]) {
      $text = $element.Value
    }
    $typed += $text
  }
  if ($typed.Count -gt 1) { $typed = @($typed[1..($typed.Count - 1)]) } else { $typed = @() }
  if ($wordToComplete -eq '') {
    # Before 7.3 an empty argument got lost on its way to a program.
    if ($PSVersionTable.PSVersion -lt [version]'7.3') { $typed += '""' } else { $typed += '' }
  }
  $directive = 0
  $lines = & gum ${responder} @typed 2>$null
  $results = @()
  foreach ($line in $lines) {
    if ($line -match '^:(\d+)$') { $directive = [int]$Matches[1]; continue }
    $value, $text = $line -split "` + "`t" + String.raw`", 2
    if (-not $text) { $text = $value }
    $word = $value
    if ($value -match '[^\w./:=+-]') { $word = "'" + $value.Replace("'", "''") + "'" }
    $results += [System.Management.Automation.CompletionResult]::new(
      $word, $value, 'ParameterValue', $text)
  }
  # An empty answer keeps the shell from completing file names.
  if ($results.Count -eq 0 -and ($directive -band 4)) { return '' }
  $results
}
`,
};
