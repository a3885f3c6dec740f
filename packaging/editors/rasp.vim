" Vim syntax file
" Language: RASP
" The words and signs are those of the language's own tables.

if exists("b:current_syntax")
  finish
endif

syn match raspName "\<\h\w*\>"
syn match raspSign "\V\%(@VIM-SIGNS@\)"
syn match raspSign "="
syn match raspOperator "\<\V\%(@VIM-OPERATORS@\)\m\>"
syn match raspStatement "\<\V\%(@VIM-STATEMENTS@\)\m\>"
syn match raspCommand "\<\V\%(@VIM-COMMANDS@\)\m\>"
syn match raspCommand "\<full seq display\>"
syn match raspInput "\<\V\%(@VIM-INPUTS@\)\m\>"
syn match raspFunction "\<\V\%(@VIM-FUNCTIONS@\)\m\>"
syn match raspConstant "\<\V\%(@VIM-OTHERS@\)\m\>"
syn match raspNumber "\<\d\+\%(\.\d\+\)\?\>"
syn match raspDelimiter "[][(){},;:]"
syn region raspString start=+"+ end=+"+ oneline
syn match raspComment "#.*$" contains=@Spell
syn match raspDirective "^#\s*\%(rasp\|example\|source\|depth\):.*$"

hi def link raspSign Operator
hi def link raspOperator Operator
hi def link raspStatement Statement
hi def link raspCommand PreProc
hi def link raspInput Identifier
hi def link raspFunction Function
hi def link raspConstant Constant
hi def link raspNumber Number
hi def link raspDelimiter Delimiter
hi def link raspString String
hi def link raspComment Comment
hi def link raspDirective SpecialComment

let b:current_syntax = "rasp"
