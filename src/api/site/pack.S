// The packed page, byte for byte: an assembler copies megabytes in no time, a compiler of literals does not.
    .section .rodata
    .global ty_page_pack_begin
    .global ty_page_pack_end
    .balign 16
ty_page_pack_begin:
    .incbin PAGE_PACK
ty_page_pack_end:
    .section .note.GNU-stack, "", @progbits
