autocmd BufNewFile,BufRead *.rasp setfiletype rasp
autocmd FileType rasp setlocal commentstring=#\ %s
